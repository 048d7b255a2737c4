/** Source data as files that other programs open: GLB, PNG, WAV. */
import { meshGlb } from './glb.ts'
import { picturePng } from './png.ts'
import { glbMaterials } from './slot-surfaces.ts'
import type { Content } from './source-data/content.ts'
import { type FileSource, surfacesOf } from './source-data/file-source.ts'
import type { FindPackage } from './source-data/materials.ts'
import { soundWav } from './wav.ts'

export interface Converted {
  ext: 'glb' | 'png' | 'wav'
  /** Of its own memory, so that it can be handed to another thread. */
  bytes: Uint8Array
  measures: Record<string, number>
  /** What was made less than the source has, in sentences. */
  reduced: string[]
}

/** A mesh has the colours and textures of its materials, that of a package as far as `find` gives those. Throws FormatError. */
export async function convert(source: FileSource, find: FindPackage = async () => undefined): Promise<Converted> {
  const content: Content = source.from === 'package' ? source.source : source.content
  if (content.kind === 'mesh') {
    const { glb, triangles, vertices, reduced } = await meshGlb(content.mesh, {
      materials: await glbMaterials(await surfacesOf(source, find)),
    })
    return { ext: 'glb', bytes: own(glb), measures: { triangles, vertices }, reduced }
  }
  if (content.kind === 'picture') {
    const { png, width, height, reduced } = await picturePng(content.picture)
    return { ext: 'png', bytes: own(png), measures: { width, height }, reduced }
  }
  const { wav, channels, sampleRate, seconds, reduced } = soundWav(content.sound)
  return { ext: 'wav', bytes: own(wav), measures: { seconds, channels, sample_rate: sampleRate }, reduced }
}

/** Of memory that a library holds, none can be handed over. */
const own = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)
