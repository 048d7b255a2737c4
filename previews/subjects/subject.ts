/** What is drawn for people: the mesh, picture or sound of a package, a source file or a preview, and what is said of it. */
import { FormatError, refuseGitLfsPointer } from '../../formats/format-error.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import { measureMesh } from '../../formats/source/mesh-measures.ts'
import type { Sound } from '../../formats/source/sound.ts'
import { meshGlb } from '../glb.ts'
import type { DrawnMesh } from '../rasteriser.ts'
import { framesOf } from '../samples.ts'
import type { Content } from '../source-data/content.ts'
import { type FileSource, readFileSource, readSourceOf, surfacesOf } from '../source-data/file-source.ts'
import type { FindPackage, SlotSurface } from '../source-data/materials.ts'
import { packagesBeside } from '../source-data/project-packages.ts'
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
  if ('path' in source) return sourceSubject(await readFileSource(source.path), packagesBeside(source.path))
  const { name, bytes } = source
  if (/\.(?:png|jpe?g)$/i.test(name)) return imageSubject(bytes)
  const nothing = async () => undefined
  return sourceSubject(await readSourceOf(bytes, { path: name, beside: nothing }), nothing)
}

async function imageSubject(bytes: Uint8Array): Promise<Subject> {
  refuseGitLfsPointer(bytes)
  const { pixels, width, height } = await imagePixels(bytes)
  return { kind: 'picture', pixels, facts: { kind: 'picture', width, height } }
}

async function sourceSubject(source: FileSource | undefined, find: FindPackage): Promise<Subject> {
  const content: Content | undefined = source?.from === 'package' ? source.source : source?.content
  if (source !== undefined && content?.kind === 'mesh') return meshSubject(content.mesh, await surfacesOf(source, find))
  if (content?.kind === 'picture') {
    const { width, height } = content.picture
    return { kind: 'picture', pixels: await picturePixels(content.picture), facts: { kind: 'picture', width, height } }
  }
  if (content?.kind !== 'sound') throw new FormatError('unsupported', 'It holds neither a mesh nor a picture nor a sound.')
  const { sound } = content
  const { sampleRate, channels } = sound
  return { kind: 'sound', sound, facts: { kind: 'sound', seconds: framesOf(sound) / sampleRate, sampleRate, channels } }
}

async function meshSubject(mesh: Mesh, surfaces: readonly (SlotSurface | undefined)[]): Promise<Subject> {
  const { triangles, bounds } = measureMesh(mesh)
  const drawn = triangles > mostDrawnTriangles ? await simplified(mesh) : mesh
  const facts: MeshSubjectFacts = {
    kind: 'mesh',
    triangles,
    drawnTriangles: drawn.cornerPositions.length / 3,
    materials: new Set(mesh.triangleSlots).size,
    sizeCm: bounds && sizeOf(bounds),
  }
  // Simplified, slots stand in the order in which triangles use them.
  const bySlot = new Map(mesh.slots.map(({ name }, slot) => [name, surfaces[slot]]))
  const looks = drawn === mesh ? surfaces : drawn.slots.map(({ name }) => bySlot.get(name))
  return { kind: 'mesh', mesh: drawn, looks, facts }
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
