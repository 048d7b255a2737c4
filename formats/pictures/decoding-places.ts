// Places for pictures that are decoded: so many at once in a process, over all of its threads. Decoders run in libuv's pool, which all
// threads share with the reading of files; a picture that is decoded has one of its threads until it is done.
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import pLimit from 'p-limit'

/** Of libuv's four threads: one stays for files. */
export const mostDecodedAtOnce = 3
/** Decoders give up earlier (`decoding.ts`). A thread that ends in between leaves its place behind: after this long it is free. */
const longestMs = 60_000
/** Another look at the places, in case a thread ended that had one. */
const lookAgainMs = 250
const name = 'prop-house: places of decoders'

interface Places {
  /** Of each place the time at which it is free again, with three random digits behind it, or 0. */
  until: BigInt64Array
  /** Counts what was left, so that others can wait for it. */
  left: Int32Array
}

/** Those of the thread that began this one, where it shares them. */
const memory = (getEnvironmentData(name) as SharedArrayBuffer | undefined) ?? new SharedArrayBuffer(mostDecodedAtOnce * 8 + 8)
const places: Places = {
  until: new BigInt64Array(memory, 0, mostDecodedAtOnce),
  left: new Int32Array(memory, mostDecodedAtOnce * 8, 1),
}
/** Those of one thread come in their order. */
const line = pLimit(mostDecodedAtOnce)

/** Threads that are begun afterwards share the places of this one. */
export const shareDecodingPlaces = (): void => setEnvironmentData(name, memory)

/** How many are decoded at this moment, in all threads of the process. */
export const decodedNow = (): number =>
  places.until.reduce((count, _, place) => count + (Atomics.load(places.until, place) > timeKey(Date.now()) ? 1 : 0), 0)

/** Waits for a place, and gives it back when `work` is done. */
export const inPlace = <T>(work: () => Promise<T>): Promise<T> =>
  line(async () => {
    const leave = await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  })

async function enter(): Promise<() => void> {
  for (;;) {
    const seen = Atomics.load(places.left, 0)
    const leave = tryToEnter()
    if (leave) return leave
    await someoneLeaves(seen)
  }
}

function tryToEnter(): (() => void) | undefined {
  const now = Date.now()
  for (let place = 0; place < mostDecodedAtOnce; place++) {
    const until = Atomics.load(places.until, place)
    if (until > timeKey(now)) continue
    const own = timeKey(now + longestMs) + BigInt(Math.floor(Math.random() * 1000))
    if (Atomics.compareExchange(places.until, place, until, own) !== until) continue
    return () => {
      Atomics.compareExchange(places.until, place, own, 0n)
      Atomics.add(places.left, 0, 1)
      Atomics.notify(places.left, 0)
    }
  }
  return undefined
}

const timeKey = (ms: number): bigint => BigInt(ms) * 1000n

/** The timer keeps the process alive as well, which waiting for memory does not. */
async function someoneLeaves(seen: number): Promise<void> {
  const waiting = Atomics.waitAsync(places.left, 0, seen, lookAgainMs)
  if (!waiting.async) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, lookAgainMs)
  await Promise.race([waiting.value, promise])
  clearTimeout(timer)
}
