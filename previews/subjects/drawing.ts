/** Subjects as pixels of any size: one that is looked at from anywhere, or several on one scale. */
import type { Size, View } from '../camera.ts'
import { MeshDrawer, threeQuarterView } from '../rasteriser.ts'
import { drawWave } from '../waveform.ts'
import { fitPixels, type Pixels } from './pixels.ts'
import type { Subject } from './subject.ts'

/** Subjects of one kind, which share angle, scale and length; what differs in kind is drawn by itself. */
export class Drawing {
  readonly #subjects: readonly Subject[]
  readonly #meshes: MeshDrawer | undefined

  constructor(subjects: readonly Subject[]) {
    this.#subjects = subjects
    const meshes = subjects.flatMap((subject) => (subject.kind === 'mesh' ? [subject] : []))
    this.#meshes = meshes.length > 0 && meshes.length === subjects.length ? new MeshDrawer(meshes) : undefined
  }

  /** Fills the canvas as far as its proportions allow. */
  async draw(size: Size, { view = threeQuarterView, which = 0 }: { view?: View; which?: number } = {}): Promise<Pixels> {
    const subject = this.#subjects[which]
    if (subject === undefined) return empty(size)
    if (subject.kind === 'mesh')
      return pixelsOf(this.#meshes?.draw(view, size, which) ?? new MeshDrawer([subject]).draw(view, size))
    if (subject.kind === 'sound') return pixelsOf(drawWave(subject.sound, { ...size, seconds: this.#longest }))
    const share = this.#shareOf(subject.facts)
    const own = { width: Math.max(1, Math.round(size.width * share)), height: Math.max(1, Math.round(size.height * share)) }
    return centred(await fitPixels(subject.pixels, own), size)
  }

  /** See `turningZoom`. */
  turningZoom(pitch: number, size: Size): number {
    return this.#meshes?.turningZoom(pitch, size) ?? 1
  }

  get #longest(): number {
    return this.#subjects.reduce((most, { facts }) => (facts.kind === 'sound' ? Math.max(most, facts.seconds) : most), 0)
  }

  /** How large beside the largest of the pictures. */
  #shareOf({ width, height }: Size): number {
    const edges = this.#subjects.map(({ facts }) => (facts.kind === 'picture' ? Math.max(facts.width, facts.height) : 0))
    return Math.max(width, height) / Math.max(...edges, 1)
  }
}

const empty = ({ width, height }: Size): Pixels => ({ width, height, rgba: new Uint8Array(width * height * 4) })

function pixelsOf({ width, height, samples }: ReturnType<MeshDrawer['draw']>): Pixels {
  return { width, height, rgba: samples.values as Uint8Array }
}

function centred({ rgba, width, height }: Pixels, size: Size): Pixels {
  if (width === size.width && height === size.height) return { rgba, width, height }
  const whole = empty(size)
  const [left, top] = [Math.floor((size.width - width) / 2), Math.floor((size.height - height) / 2)]
  for (let row = 0; row < height; row++)
    whole.rgba.set(rgba.subarray(row * width * 4, (row + 1) * width * 4), ((top + row) * size.width + left) * 4)
  return whole
}
