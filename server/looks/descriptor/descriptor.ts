/** The embedder that needs no download: forms and colours, counted. It is made for finding a picture again, whatever was done to it. */
import { type SmallPicture, smallPicture } from '../../../formats/image.ts'
import type { Embedder, Look } from '../embedder.ts'
import { coloursLength, coloursOf } from './colours.ts'
import { type Content, cutContents, innerContent, plainBeyondDoubt, plainEnough, wholeContent } from './content.ts'
import { formsOf } from './forms.ts'
import { shapeLength, shapeOf } from './matrix.ts'
import { panelOf } from './panel.ts'

/** Larger pictures are looked at in this size. */
const lookedAtPx = 256

/** Each is asked twice, as the mirrored picture too. */
const mostQuestions = 4

/** Measured by bench/looks/recall.ts: more and a picture in other hues is not found, less and things of one form come in any colour. */
const colourWeight = 0.15

export const descriptor: Embedder = {
  name: 'descriptor-2',
  dimensions: { shape: shapeLength, colour: coloursLength },
  colourWeight,
  async look(bytes) {
    return lookAt(contentOf(await smallPicture(bytes, lookedAtPx)))
  },
  async questions(bytes) {
    return questionsOf(await smallPicture(bytes, lookedAtPx)).flatMap((content) => [lookAt(content), lookAt(content, true)])
  },
}

/** Of a picture of the library. */
export function contentOf(picture: SmallPicture): Content {
  const whole = wholeContent(picture)
  return cutContents(whole, plainBeyondDoubt).at(-1) ?? whole
}

/**
 * Of a picture that is searched for, at most `mostQuestions`: as it is, as a library would have it, and with less and less of what may be
 * borders within that.
 */
export function questionsOf(picture: SmallPicture): Content[] {
  const whole = wholeContent(picture)
  const steps = cutContents(whole, plainEnough)
  if (steps.length > 1) {
    for (let cut = 0; cut < 2; cut++) {
      const last = steps.at(-1)
      const inner = last && innerContent(last, plainEnough)
      if (inner === undefined) break
      steps.push(inner)
    }
  }
  const kept = contentOf(picture)
  const others = steps.slice(1).filter((step) => !isSame(step, kept))
  const first = isSame(whole, kept) ? [whole] : [whole, kept]
  // Of many, the first and the last of them differ most.
  const room = mostQuestions - first.length
  return [...first, ...(others.length > room ? [...others.slice(0, 1), ...others.slice(1 - room)] : others)]
}

const isSame = (one: Content, other: Content): boolean =>
  one.width === other.width && one.height === other.height && Buffer.compare(one.shown, other.shown) === 0

const lookAt = (content: Content, mirrored = false): Look => ({
  shape: shapeOf(formsOf(panelOf(content, mirrored))),
  colour: coloursOf(content),
})
