/** A small library of looks that is searched one by one, and knows which of its pictures nobody could tell apart. */
import sharp from 'sharp'
import { descriptor } from '../../server/looks/descriptor/descriptor.ts'
import type { Look } from '../../server/looks/embedder.ts'
import { type RoundedLook, rounded } from '../../server/looks/rounding.ts'

export interface NamedPicture {
  name: string
  png: Uint8Array
}

/** Pictures of 32 x 32 pixels whose bytes differ less on the mean are twins: two saves of one prop, or materials nobody painted yet. */
const twinDifference = 2.5

export class Looks {
  readonly names: string[] = []
  readonly #looks: RoundedLook[] = []
  readonly #small: Buffer[] = []

  async add({ name, png }: NamedPicture): Promise<void> {
    this.names.push(name)
    this.#looks.push(rounded(await descriptor.look(png)))
    this.#small.push(
      await sharp(png).flatten({ background: '#888' }).toColourspace('srgb').resize(32, 32, { fit: 'fill' }).raw().toBuffer(),
    )
  }

  /** Best first; the best of several questions counts. */
  nearest(questions: readonly Look[], { count, weight = descriptor.colourWeight }: { count: number; weight?: number }): number[] {
    const scores = this.#looks.map((look) => Math.max(...questions.map((question) => likeness(look, question, weight))))
    return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, count)
  }

  scoreOf(index: number, questions: readonly Look[], weight = descriptor.colourWeight): number {
    const look = this.#looks[index]
    return look === undefined ? 0 : Math.max(...questions.map((question) => likeness(look, question, weight)))
  }

  isFound(index: number, among: readonly number[]): boolean {
    return among.some((one) => one === index || this.#areTwins(one, index))
  }

  #areTwins(a: number, b: number): boolean {
    const [left, right] = [this.#small[a], this.#small[b]]
    if (left === undefined || right === undefined || left.length !== right.length) return false
    let difference = 0
    for (let at = 0; at < left.length; at++) difference += Math.abs((left[at] ?? 0) - (right[at] ?? 0))
    return difference / left.length < twinDifference
  }
}

/** As the server counts: a question without colours asks for shapes alone. */
function likeness(look: RoundedLook, question: Look, colourWeight: number): number {
  const shape = cosine(look.shape, question.shape)
  if (question.colour.every((number) => number === 0)) return shape
  return (1 - colourWeight) * shape + colourWeight * cosine(look.colour, question.colour)
}

function cosine(a: Int8Array, question: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (question[at] ?? 0)
  return sum === 0 ? 0 : sum / Math.hypot(...a) / Math.hypot(...question)
}
