/** One turn of the event loop, in which everything that has arrived is worked on; and long work, done in pieces of several turns. */
import { setImmediate as nextTurn } from 'node:timers/promises'

let waiting: (() => void)[] = []

/**
 * Resolves at the end of this turn, for all who wait together. Answers that leave together wake the program that waits for them once;
 * leaving one by one they wake it each time, which takes longer than making them.
 */
export const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn)
  })

function goOn(): void {
  const going = waiting
  waiting = []
  for (const go of going) go()
}

const queue: (() => void)[] = []

/**
 * Resolves in a turn of its own: one call in each turn. Large answers wait for it before each piece, so that many downloads at once do not
 * delay new connections and small answers.
 */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (queue.push(resolve) === 1) setImmediate(takeTurn)
  })

function takeTurn(): void {
  queue.shift()?.()
  if (queue.length > 0) setImmediate(takeTurn)
}

/** How long a piece of work may keep others waiting. */
const pieceMs = 5

/** One may take as long as a hundred others: the clock says when a piece is over. Work that waits for something ends one, too. */
export async function inPieces<T>(all: Iterable<T>, work: (one: T) => unknown): Promise<void> {
  let until = performance.now() + pieceMs
  for (const one of all) {
    const going = work(one)
    if (going instanceof Promise) await going
    else if (performance.now() < until) continue
    else await nextTurn()
    until = performance.now() + pieceMs
  }
}
