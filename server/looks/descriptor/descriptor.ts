/** The embedder that needs no download: forms and colours, counted. It is made for finding a picture again, whatever was done to it. */
import { type SmallPicture, smallPicture } from '../../../formats/image.ts'
import type { Embedder, Look } from '../embedder.ts'
import { coloursLength, coloursOf } from './colours.ts'
import { type Content, cutContent, plainBeyondDoubt, plainEnough, wholeContent } from './content.ts'
import { formsOf } from './forms.ts'
import { shapeLength, shapeOf, toLook } from './matrix.ts'
import { panelOf } from './panel.ts'

/** Larger pictures are looked at in this size. */
const lookedAtPx = 256

/** Measured by bench/looks/recall.ts: more and a picture in other hues is not found, less and things of one form come in any colour. */
const colourWeight = 0.15

export const descriptor: Embedder = {
  name: 'descriptor-1',
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
  return cutContent(wholeContent(picture), plainBeyondDoubt)
}

/** Of a picture that is searched for: with its border, and without. */
export function questionsOf(picture: SmallPicture): Content[] {
  const whole = wholeContent(picture)
  const cut = cutContent(whole, plainEnough)
  return cut === whole ? [whole] : [cut, whole]
}

function lookAt(content: Content, mirrored = false): Look {
  return { shape: shapeOf(formsOf(panelOf(content, mirrored))), colour: toLook(coloursOf(content)) }
}
