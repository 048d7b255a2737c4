/** One turn of the event loop, in which everything that has arrived is worked on. */

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
