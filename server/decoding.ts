/** The line in front of the decoders of pictures: every picture of a request, of an assistant and of the background waits in this one. */
import { type Owner, WeightedQueue } from '../serving/bodies/weighted-queue.ts'

/** At once. Of the three places of the process (formats/pictures/decoding-places.ts) one is left to threads that read source files. */
const decodedAtOnce = 2
/** Who has waited so long is told to come again. */
const waitMs = 30_000
/** So many wait at once, each with a picture of at most 64 MiB on the disk and not in memory. */
const mostWaiting = 256

const decoding = new WeightedQueue(decodedAtOnce, waitMs, mostWaiting)

/** Of a picture that no other may be decoded beside. */
export const wholeRoom = decoding.most

/**
 * Reads and decodes in its turn: what is decoded comes into memory in `look`. Keys and workspaces have shares of the places and of the line.
 * Throws UNAVAILABLE, with seconds to wait, when the line is full or does not move.
 */
export async function inDecodingTurn<T>(
  { owner, weight = 1 }: { owner: Owner; weight?: number },
  look: () => Promise<T>,
): Promise<T> {
  const giveBack = await decoding.take({ owner, weight })
  try {
    return await look()
  } finally {
    giveBack()
  }
}
