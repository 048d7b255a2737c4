// What is mutated: small files of every format that source data are read of, made here, and real ones where there are any.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import sharp from 'sharp'
import { readCompressedBuffer } from '../../formats/kraken/compressed-buffer.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import { readMeshDescription } from '../../formats/unreal-mesh/mesh-description.ts'
import { readRawMesh } from '../../formats/unreal-mesh/raw-mesh.ts'
import { convert } from '../../previews/convert.ts'
import { meshGlb } from '../../previews/glb.ts'
import { readSourceOf } from '../../previews/source-data/file-source.ts'
import { sourceFacts } from '../../previews/source-data/source-facts.ts'
import { madeFiles, madePayloads } from './mutation-files.ts'
import { type Original, placesRead } from './mutations.ts'
import { fixtureFolder } from './real-packages.ts'
import { realPayloads } from './real-payloads.ts'

/** `read` gives the kind of what the bytes are made into; it throws FormatError, and nothing else. */
export type Subject = Original & { name: string; reader: string; read: (bytes: Uint8Array) => Promise<string> }

type Given = Omit<Subject, 'places'>

/** A whole file, as `ph inspect --source` and `ph convert` read it. */
async function readFile(name: string, bytes: Uint8Array): Promise<string> {
  const source = await readSourceOf(bytes, { path: name, beside: async () => undefined })
  if (source === undefined) return 'none'
  sourceFacts(source)
  return (await convert(source)).ext
}

async function readMesh(mesh: Mesh): Promise<string> {
  const { positions } = mesh
  if (!positions.every(Number.isFinite)) throw new Error('a position is not finite')
  await meshGlb(mesh)
  return 'glb'
}

const readers: Record<string, (bytes: Uint8Array) => Promise<string>> = {
  kraken: async (bytes) => `${readCompressedBuffer(bytes).length >= 0 ? 'raw' : ''}`,
  'raw mesh': async (bytes) => readMesh(readRawMesh(bytes)),
  'old mesh, polygons': async (bytes) => readMesh(readMeshDescription(bytes, { main: -1, editor: 28 })),
  'old mesh': async (bytes) => readMesh(readMeshDescription(bytes, { main: -1, editor: 38 })),
  'new mesh': async (bytes) => readMesh(readMeshDescription(bytes, { main: 121, editor: 40 })),
  'new mesh, 5.8': async (bytes) => readMesh(readMeshDescription(bytes, { main: 123, editor: 40 })),
}

/** `maxBytes` of a real file: small ones are read often, and large ones are much like them. */
export async function mutationCorpus(maxBytes: number): Promise<Subject[]> {
  const files = [...(await madeFiles()), ...realFiles(maxBytes)]
  const payloads = [...madePayloads(), ...realMeshes(maxBytes)]
  const given = [
    ...files.map(({ name, reader, bytes }): Given => ({ name, reader, bytes, read: (changed) => readFile(name, changed) })),
    ...payloads.map(({ name, reader, bytes }): Given => ({ name, reader, bytes, read: readers[reader] ?? (async () => '') })),
  ]
  const subjects: Subject[] = []
  for (const one of given) {
    const bytes = Buffer.from(new Uint8Array(one.bytes).buffer)
    let isRead = false
    const places = await placesRead(bytes, async () => {
      isRead = await one.read(bytes).then(
        () => true,
        () => false,
      )
    })
    // Among real files are some that are refused already, and payloads of other versions than they are read with.
    if (isRead) subjects.push({ ...one, bytes, places: [...places, ...krakenPlaces(bytes)] })
  }
  return subjects
}

/** Headers within the blocks of compressed buffers, which are read as bits. */
function krakenPlaces(bytes: Buffer): number[] {
  const start = bytes.indexOf(Buffer.from('b7756362', 'hex'))
  if (start < 0 || start + 64 > bytes.length || bytes[start + 8] !== 3) return []
  const blocks = Math.min(16, bytes.readUInt32BE(start + 12))
  const places: number[] = []
  let at = start + 64 + 4 * bytes.readUInt32BE(start + 12)
  for (let block = 0; block < blocks; block++) {
    places.push(start + 64 + 4 * block, ...[0, 2, 5, 8, 16, 19, 24].map((into) => at + into))
    at += bytes.readUInt32BE(start + 64 + 4 * block)
  }
  return places.filter((place) => place + 4 <= bytes.length)
}

type Known = { name: string; reader: string; bytes: Buffer }

function realFiles(maxBytes: number): Known[] {
  if (fixtureFolder === undefined) return []
  const folder = fixtureFolder
  const packages = JSON.parse(readFileSync(join(folder, 'payloads-expected.json'), 'utf8')) as Record<string, { class: string }>
  const sources = readdirSync(join(folder, 'source'), { recursive: true, encoding: 'utf8' }).map((path) => join('source', path))
  const small = (path: string) => statSync(join(folder, path)).isFile() && statSync(join(folder, path)).size <= maxBytes
  const known = (path: string, reader: string): Known => ({ name: path, reader, bytes: readFileSync(join(folder, path)) })
  return [
    ...Object.keys(packages)
      .filter(small)
      .map((path) => known(path, packages[path]?.class ?? '')),
    ...sources
      .filter((path) => small(path) && /\.(fbx|obj|gltf|glb|png|jpe?g|tga|wav)$/i.test(path))
      .map((path) => known(path, extname(path).slice(1).toLowerCase())),
  ]
}

/** Payloads of real meshes, decompressed: what is wrong in them is not seen by what decompresses them. */
function realMeshes(maxBytes: number): Known[] {
  return realPayloads().flatMap(({ path, buffer }) => {
    const whole = buffer.subarray(0, Number(buffer.readBigUInt64BE(24)))
    const raw = Buffer.from(readCompressedBuffer(whole))
    const small: Known[] = whole.length <= maxBytes ? [{ name: path, reader: 'kraken', bytes: whole }] : []
    const isMesh = raw.length <= maxBytes && raw.subarray(0, 40).includes('Vertices')
    return isMesh ? [...small, { name: basename(path), reader: 'new mesh', bytes: raw }] : small
  })
}

/** Loads what readers load when they first need it, so that no mutation is charged with it. */
export async function warmUp(): Promise<void> {
  await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
}
