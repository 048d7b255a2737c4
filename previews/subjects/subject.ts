/** What is drawn for people: the mesh, picture or sound of a package, a source file or a preview, and what is said of it. */
import { basename, extname } from 'node:path'
import { FormatError, refuseGitLfsPointer } from '../../formats/format-error.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import { measureMesh } from '../../formats/source/mesh-measures.ts'
import type { Sound } from '../../formats/source/sound.ts'
import { isPackage } from '../../formats/uasset/uasset.ts'
import { readSource } from '../../formats/uasset-data/source.ts'
import { meshGlb } from '../glb.ts'
import type { DrawnMesh } from '../rasteriser.ts'
import { framesOf } from '../samples.ts'
import { type Content, readContent } from '../source-data/content.ts'
import { readFileSource } from '../source-data/file-source.ts'
import { looksOf } from './looks.ts'
import { imagePixels, type Pixels, picturePixels } from './pixels.ts'

/** A file of this machine, or bytes that were fetched; `name` ends as the file does, such as `SM_Barrel.uasset`. */
export type SubjectSource = { path: string } | { name: string; bytes: Uint8Array }

export type Subject =
  | ({ kind: 'mesh'; facts: MeshSubjectFacts } & DrawnMesh)
  | { kind: 'picture'; facts: PictureFacts; pixels: Pixels }
  | { kind: 'sound'; facts: SoundFacts; sound: Sound }

export type SubjectFacts = Subject['facts']

export interface MeshSubjectFacts {
  kind: 'mesh'
  triangles: number
  /** As many as are drawn, where those are fewer. */
  drawnTriangles: number
  /** Names of slots that a triangle has. */
  materials: number
  /** Along X, Y and Z; null where it cannot be told. */
  sizeCm: readonly [number, number, number] | null
}

export interface PictureFacts {
  kind: 'picture'
  width: number
  height: number
}

export interface SoundFacts {
  kind: 'sound'
  seconds: number
  sampleRate: number
  channels: number
}

/** More are simplified to as many as turn easily. */
const mostDrawnTriangles = 500_000
const easyTriangles = 200_000

/** Throws FormatError; `unsupported` for what shows and plays nothing. */
export async function readSubject(source: SubjectSource): Promise<Subject> {
  if ('path' in source) return fileSubject(source.path)
  const { name, bytes } = source
  const ext = extname(name).slice(1).toLowerCase()
  refuseGitLfsPointer(bytes)
  if (isPackage(bytes)) return contentSubject(await readSource(bytes, { stem: basename(name, extname(name)) }))
  if (ext === 'png' || ext === 'jpg' || ext === 'jpeg') return imageSubject(bytes)
  const { content } = await readContent(ext, bytes, () => undefined)
  return contentSubject(content, ext === 'glb' || ext === 'gltf' ? bytes : undefined)
}

async function fileSubject(path: string): Promise<Subject> {
  const ext = extname(path).toLowerCase()
  if (ext === '.glb') return readSubject({ name: basename(path), bytes: await readWholeFile(path) })
  const source = await readFileSource(path)
  return contentSubject(source?.from === 'package' ? source.source : source?.content)
}

const mostGlbBytes = 512 * 1024 * 1024

async function readWholeFile(path: string): Promise<Uint8Array> {
  const { readFile, stat } = await import('node:fs/promises')
  const { size } = await stat(path)
  if (size > mostGlbBytes) throw new FormatError('too-large', `The file has ${size} bytes, too many to be drawn.`)
  return readFile(path)
}

async function imageSubject(bytes: Uint8Array): Promise<Subject> {
  const { pixels, width, height } = await imagePixels(bytes)
  return { kind: 'picture', pixels, facts: { kind: 'picture', width, height } }
}

async function contentSubject(content: Content | undefined, glb?: Uint8Array): Promise<Subject> {
  if (content?.kind === 'mesh') return meshSubject(content.mesh, glb)
  if (content?.kind === 'picture') {
    const { width, height } = content.picture
    return { kind: 'picture', pixels: await picturePixels(content.picture), facts: { kind: 'picture', width, height } }
  }
  if (content?.kind !== 'sound') throw new FormatError('unsupported', 'It holds neither a mesh nor a picture nor a sound.')
  const { sound } = content
  const { sampleRate, channels } = sound
  return { kind: 'sound', sound, facts: { kind: 'sound', seconds: framesOf(sound) / sampleRate, sampleRate, channels } }
}

async function meshSubject(mesh: Mesh, glb: Uint8Array | undefined): Promise<Subject> {
  const { triangles, bounds } = measureMesh(mesh)
  const drawn = triangles > mostDrawnTriangles ? await simplified(mesh) : mesh
  const facts: MeshSubjectFacts = {
    kind: 'mesh',
    triangles,
    drawnTriangles: drawn.cornerPositions.length / 3,
    materials: new Set(mesh.triangleSlots).size,
    sizeCm: bounds && sizeOf(bounds),
  }
  return { kind: 'mesh', mesh: drawn, looks: glb === undefined ? [] : await looksOf(drawn, glb), facts }
}

/** As a preview of it would be. */
async function simplified(mesh: Mesh): Promise<Mesh> {
  const { glb } = await meshGlb(mesh, { maxTriangles: easyTriangles, maxBytes: Number.POSITIVE_INFINITY })
  return (await import('../../formats/gltf/geometry.ts')).readGltfMesh(glb)
}

function sizeOf({ min, max }: NonNullable<ReturnType<typeof measureMesh>['bounds']>): MeshSubjectFacts['sizeCm'] {
  const [x, y, z] = [max[0] - min[0], max[1] - min[1], max[2] - min[2]]
  return [x, y, z].every(Number.isFinite) ? [x, y, z] : null
}
