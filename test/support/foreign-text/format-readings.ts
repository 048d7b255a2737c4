/** Formats of files, which threads read where a file may be large, and what programs of one person read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Database from 'better-sqlite3'
import { jsonLines } from '../../../client/http/json-lines.ts'
import { makeTables } from '../../../client/mirror/mirror.ts'
import { MirrorRows } from '../../../client/mirror/rows.ts'
import { readDescriptor } from '../../../client/project/unreal-project.ts'
import { readExr } from '../../../formats/exr/header.ts'
import { readFbx } from '../../../formats/fbx/fbx.ts'
import { readPsdPicture } from '../../../formats/psd.ts'
import { readSetup } from '../../../formats/vorbis/setup.ts'
import { filled, type Reading, tried } from './reading.ts'

const MiB = 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'ph-readings-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** A PSD file of one pixel, with empty resources. */
function psdOf(size: number): Buffer {
  const head = Buffer.from('8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\x08\0\x03\0\0\0\0', 'latin1')
  const resources = Buffer.alloc(4 + Math.floor(size / 12) * 12)
  resources.writeUInt32BE(resources.length - 4)
  return Buffer.concat([head, resources, Buffer.alloc(4 + 2 + 3)])
}

/** An EXR header of attributes without a value. */
const exrOf = (size: number): Buffer =>
  Buffer.concat([Buffer.from([0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0]), Buffer.from(filled('a\0b\0\0\0\0\0', size), 'latin1')])

/** An FBX text of models, each below the one before. */
function fbxOf(size: number): Buffer {
  const models = Array.from({ length: size / 64 }, (_, at) => at + 1)
  const objects = models.map((at) => `Model: ${at}, "Model::a", "Mesh" {\n}\n`).join('')
  const links = models.map((at) => `C: "OO",${at + 1},${at}\n`).join('')
  return Buffer.from(`; FBX 7.4.0 project file\nObjects: {\n${objects}}\nConnections: {\n${links}}\n`)
}

/** A Vorbis setup whose one codebook has an entry for each five bits, all of the same length. */
function vorbisOf(size: number): Buffer {
  const entries = Math.floor((size * 8) / 5)
  const packet = Buffer.alloc(size + 32)
  packet.write('\x05vorbis', 'latin1')
  let at = 7 * 8
  const put = (value: number, bits: number) => {
    for (let bit = 0; bit < bits; bit++, at++) packet[at >> 3] = (packet[at >> 3] ?? 0) | (((value >> bit) & 1) << (at & 7))
  }
  for (const [value, bits] of [
    [0, 8],
    [0x56_43_42, 24],
    [1, 16],
    [entries, 24],
    [0, 2],
  ] as const)
    put(value, bits)
  for (let entry = 0; entry < entries; entry++) put(17, 5)
  return packet
}

const ofBytes =
  (make: (size: number) => Buffer, read: (bytes: Buffer) => unknown): Reading['prepare'] =>
  (size) => {
    const bytes = make(size)
    return () => tried(() => read(bytes))
  }

export const formatReadings: readonly Reading[] = [
  {
    file: 'formats/psd.ts',
    what: 'resources of a PSD file',
    isInThread: true,
    largest: 8 * MiB,
    prepare: ofBytes(psdOf, readPsdPicture),
  },
  {
    file: 'formats/exr/header.ts',
    what: 'attributes of an EXR file',
    isInThread: true,
    largest: MiB,
    prepare: ofBytes(exrOf, readExr),
  },
  {
    file: 'formats/fbx/scene.ts',
    what: 'an FBX graph of models in each other',
    isInThread: true,
    largest: 4 * MiB,
    prepare: ofBytes(fbxOf, (bytes) => readFbx(bytes)),
  },
  {
    file: 'formats/vorbis/codebook.ts',
    what: 'a Vorbis codebook',
    isInThread: true,
    largest: 160 * 1024,
    prepare: ofBytes(vorbisOf, (bytes) => readSetup(bytes, 2)),
  },
  {
    file: 'client/project/unreal-project.ts',
    what: 'a .uproject or .uplugin',
    isClient: true,
    largest: 4 * MiB,
    prepare: (size) => {
      const path = join(folder, 'A.uproject')
      const plugins = Array.from({ length: size / 32 }, () => ({ Name: 'a', Enabled: true }))
      writeFileSync(path, JSON.stringify({ Plugins: plugins }))
      return () => readDescriptor(path)
    },
  },
  {
    file: 'client/http/json-lines.ts',
    what: 'lines of JSON from a server',
    isClient: true,
    largest: 8 * MiB,
    prepare: (size) => {
      const body = Buffer.from(`{"total":1}\n${'{"id":1}\n'.repeat(size / 9)}`)
      return async () => {
        for await (const line of jsonLines(Readable.from([body]), 'a server')) void line
      }
    },
  },
  {
    file: 'client/mirror/rows.ts',
    what: 'an entry of an export, for the mirror',
    isClient: true,
    largest: 64 * 1024,
    prepare: (size) => {
      const db = new Database(':memory:')
      makeTables(db)
      const rows = new MirrorRows(db)
      const date_indexed = '2026-01-01T00:00:00.000Z'
      const known = { id: 1, lineage_id: 'lin_a', entry_type: 'mesh', date_indexed, tags: [] }
      const entry = { ...known, name: filled('aB\u0301 a.', size), category: 'a' }
      return () => rows.putEntry(entry as never)
    },
  },
]
