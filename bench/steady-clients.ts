/** Many clients that ask at a steady rate, however long answers take: each its own moment of the second, so that no answer waits for its client. */
import { setTimeout as pause } from 'node:timers/promises'

/** How long each answer took, ms. */
export async function askEverySecond(
  ask: (turn: number) => Promise<unknown>,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<number[]> {
  const times: number[] = []
  const started = performance.now()
  const client = async (number: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await pause(Math.max(0, started + (second + number / clients) * 1000 - performance.now()))
      const asked = performance.now()
      await ask(second * clients + number)
      times.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return times
}
