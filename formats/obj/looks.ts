// How the materials of an OBJ look: diffuse colours and pictures, from the material libraries beside it.
// Source: as formats/obj/obj.ts.
import { posix } from 'node:path'
import { FormatError } from '../format-error.ts'
import { type LookColor, type ReadBeside, relativeAddress, type SourceLook, white } from '../source/look.ts'
import { eachLine } from '../text-lines.ts'
import { maxMtlBytes, openText, readObj, statement, textureName } from './obj.ts'

/** Libraries are named before the first face. */
const beginningBytes = 1024 * 1024
/** A model has one or two. */
const maxLibraries = 16
/** Of one library. */
const mostLooks = 10_000

/** By the names of materials; of two with one name the first. Libraries that are not there, or damaged, give none. */
export async function readObjLooks(bytes: Uint8Array, readBeside: ReadBeside): Promise<Map<string, SourceLook>> {
  const { externalFiles } = readObj(bytes.subarray(0, beginningBytes), { sizeBytes: bytes.length })
  const looks = new Map<string, SourceLook>()
  for (const address of externalFiles.slice(0, maxLibraries)) {
    const library = await readBeside(address)
    if (library === undefined || library.length > maxMtlBytes) continue
    try {
      readLibrary(library, posix.dirname(address), looks)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
    }
  }
  return looks
}

interface Reading {
  color: LookColor
  address?: string
}

function readLibrary(bytes: Uint8Array, folder: string, looks: Map<string, SourceLook>): void {
  const file = openText(bytes, { sizeBytes: bytes.length }, 'material library')
  const read = new Map<string, Reading>()
  let current: Reading | undefined
  eachLine(file, bytes.length, (line, start, end) => {
    const { keyword, rest } = statement(line, start, end)
    if (keyword === 'newmtl') {
      current = read.has(rest) || read.size >= mostLooks ? undefined : { color: white }
      if (current) read.set(rest, current)
    } else if (current && /^kd$/i.test(keyword)) current.color = colorOf(rest) ?? current.color
    else if (current && /^map_kd$/i.test(keyword)) {
      const name = relativeAddress(textureName(rest))
      if (name !== null) current.address = posix.join(folder, name)
    }
  })
  // A colour beside a picture is what programs put there when they have none, black as often as white.
  for (const [name, { color, address }] of read)
    if (!looks.has(name)) looks.set(name, address === undefined ? { color, image: null } : { color: white, image: null, address })
}

/** Three numbers, or one for all; undefined for a spectrum, which is a file. */
function colorOf(text: string): LookColor | undefined {
  const [red = Number.NaN, green = red, blue = red] = text.split(/\s+/).map(Number)
  const isColor = [red, green, blue].every((light) => light >= 0 && light <= 1)
  return isColor ? [red, green, blue, 1] : undefined
}
