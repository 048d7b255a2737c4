// Vorbis: the header that says how the blocks of a sound are to be decoded. Source: Vorbis I specification, section 4.2.4.
import { bitsOf, PacketBits } from './bits.ts'
import { Codebook, codebookRoom, damaged } from './codebook.ts'
import { type Floor, readFloor } from './floor.ts'
import { Residue } from './residue.ts'

export interface Identification {
  channels: number
  sampleRate: number
  /** Samples of a short and of a long block. */
  blockSizes: [number, number]
}

export interface Mapping {
  /** Pairs of channels that are stored as one of them and the difference. */
  couplings: { magnitude: number; angle: number }[]
  /** Of each channel, which of these it is decoded by. */
  submapOf: number[]
  submaps: { floor: Floor; residue: Residue }[]
}

export interface Mode {
  isLong: boolean
  mapping: Mapping
}

const nameBytes = 7

export const isVorbisHead = (packet: Buffer): boolean => packet.toString('latin1', 0, nameBytes) === '\x01vorbis'

export function readIdentification(packet: Buffer): Identification {
  const bits = new PacketBits(packet.subarray(nameBytes))
  const version = bits.unsigned(32)
  const channels = bits.unsigned(8)
  const sampleRate = bits.unsigned(32)
  bits.unsigned(32)
  bits.unsigned(32)
  bits.unsigned(32)
  const blockSizes: [number, number] = [2 ** bits.unsigned(4), 2 ** bits.unsigned(4)]
  const areSizes = blockSizes[0] >= 64 && blockSizes[1] <= 8192 && blockSizes[0] <= blockSizes[1]
  if (version !== 0 || channels === 0 || sampleRate === 0 || !areSizes || bits.isPastEnd)
    throw damaged('its Vorbis header cannot be')
  return { channels, sampleRate, blockSizes }
}

/** The modes that blocks name. Throws FormatError. */
export function readSetup(packet: Buffer, channels: number): Mode[] {
  if (packet.toString('latin1', 0, nameBytes) !== '\x05vorbis') throw damaged('its codebooks are missing')
  const bits = new PacketBits(packet.subarray(nameBytes))
  const room = codebookRoom()
  const books = list(bits, 8, () => new Codebook(bits, room))
  list(bits, 6, () => {
    if (bits.unsigned(16) !== 0) throw damaged('it transforms time in a way that is not known')
  })
  const floors = list(bits, 6, () => readFloor(bits, books))
  const residues = list(bits, 6, () => new Residue(bits, books))
  const mappings = list(bits, 6, () => readMapping(bits, { channels, floors, residues }))
  const modes = list(bits, 6, () => {
    const isLong = bits.bit() === 1
    const kinds = bits.unsigned(32)
    const mapping = mappings[bits.unsigned(8)]
    if (kinds !== 0 || !mapping) throw damaged('it has a mode that cannot be')
    return { isLong, mapping }
  })
  if (bits.bit() !== 1 || bits.isPastEnd) throw damaged('its Vorbis header is cut off')
  return modes
}

/** As many as a number of so many bits, and one. */
function list<T>(bits: PacketBits, countBits: number, read: () => T): T[] {
  return Array.from({ length: bits.unsigned(countBits) + 1 }, () => {
    if (bits.isPastEnd) throw damaged('its Vorbis header is cut off')
    return read()
  })
}

interface Parts {
  channels: number
  floors: readonly Floor[]
  residues: readonly Residue[]
}

function readMapping(bits: PacketBits, { channels, floors, residues }: Parts): Mapping {
  if (bits.unsigned(16) !== 0) throw damaged('it maps channels in a way that is not known')
  const submapCount = bits.bit() === 1 ? bits.unsigned(4) + 1 : 1
  const channelBits = bitsOf(channels - 1)
  const couplings = Array.from({ length: bits.bit() === 1 ? bits.unsigned(8) + 1 : 0 }, () => {
    const coupling = { magnitude: bits.unsigned(channelBits), angle: bits.unsigned(channelBits) }
    const { magnitude, angle } = coupling
    if (magnitude === angle || Math.max(magnitude, angle) >= channels) throw damaged('it couples channels that are not there')
    return coupling
  })
  if (bits.unsigned(2) !== 0) throw damaged('it maps channels in a way that is not known')
  const submapOf = Array.from({ length: channels }, () => (submapCount > 1 ? bits.unsigned(4) : 0))
  const submaps = Array.from({ length: submapCount }, () => {
    bits.unsigned(8)
    const [floor, residue] = [floors[bits.unsigned(8)], residues[bits.unsigned(8)]]
    if (!floor || !residue) throw damaged('it maps channels to what is not there')
    return { floor, residue }
  })
  if (submapOf.some((submap) => submap >= submapCount)) throw damaged('it maps channels to what is not there')
  return { couplings, submapOf, submaps }
}
