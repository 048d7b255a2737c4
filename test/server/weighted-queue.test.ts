// Places for work that takes memory, and what is held for slow connections: fair to workspaces and keys, however much one asks for.
import { expect, test } from 'vitest'
import { HeldBytes } from '../../serving/bodies/held-bytes.ts'
import { type GiveBack, type Owner, WeightedQueue } from '../../serving/bodies/weighted-queue.ts'

const ownerOf = (name: string): Owner => ({ workspace: name.slice(0, 1), key: name })

/** Takes places by name and keeps what it was given, in the order in which it was let in. */
function inside(places: WeightedQueue) {
  const entered: string[] = []
  const given = new Map<string, GiveBack>()
  function take(name: string, weight: number, signal?: AbortSignal): Promise<GiveBack> {
    const taken = places.take({ owner: ownerOf(name), weight, signal }).then((giveBack) => {
      entered.push(name)
      given.set(`${name} ${entered.length}`, giveBack)
      return giveBack
    })
    // Who still waits when a test has seen enough is refused later.
    taken.catch(() => {})
    return taken
  }
  return { entered, take, given }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('no more is let in than there is room for, and a place that was given back twice counts once', async () => {
  const { entered, take } = inside(new WeightedQueue(100))
  const first = await take('a1', 60)
  void take('b1', 60)
  void take('c1', 60)
  await settled()
  expect(entered).toEqual(['a1'])
  first()
  first()
  await settled()
  expect(entered, 'the room of one').toEqual(['a1', 'b1'])
})

test('one key has a quarter of the room, one workspace half of it, and others come in past what they ask beyond that', async () => {
  const { entered, take } = inside(new WeightedQueue(100))
  for (let n = 0; n < 10; n++) void take('a1', 5)
  for (let n = 0; n < 10; n++) void take('a2', 5)
  for (let n = 0; n < 10; n++) void take('a3', 5)
  await settled()
  expect(entered.filter((name) => name === 'a1')).toHaveLength(5)
  expect(entered).toHaveLength(10)
  void take('b1', 40)
  await settled()
  expect(entered.at(-1)).toBe('b1')
})

test('one that is larger than any share comes in all the same, when its owner has nothing else there', async () => {
  const { entered, take } = inside(new WeightedQueue(100))
  const whole = await take('a1', 100)
  void take('a1', 10)
  void take('b1', 100)
  await settled()
  whole()
  await settled()
  expect(entered, 'both have nothing inside: first come, first served').toEqual(['a1', 'a1'])
})

test('a large one gets its turn: small ones that came later do not slip past it for ever', async () => {
  const places = new WeightedQueue(100)
  const { entered, take } = inside(places)
  const first = await take('a1', 30)
  const second = await take('b1', 30)
  void take('c1', 90)
  void take('d1', 30)
  await settled()
  expect(entered).toEqual(['a1', 'b1'])
  first()
  second()
  await settled()
  expect(entered).toEqual(['a1', 'b1', 'c1'])
})

test('who has waited too long is told to come again; who needs more than there is, to send less; who has gone is forgotten', async () => {
  const places = new WeightedQueue(100, 20)
  const { entered, take } = inside(places)
  await take('a1', 100)
  await expect(take('b1', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retry_after_seconds: 5 } })
  await expect(take('b1', 101)).rejects.toMatchObject({ code: 'VALIDATION' })
  const leaving = new AbortController()
  const left = take('b1', 1, leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(entered).toEqual(['a1'])
})

test('where too much is held, the greediest key of the greediest workspace loses what it held longest, and nobody else', () => {
  const ended: string[] = []
  const held = new HeldBytes(1000)
  const open = (name: string, bytes: number) => {
    const one = held.open(ownerOf(name), () => ended.push(name))
    one.grow(bytes)
    return one
  }
  open('b1', 300)
  for (let n = 0; n < 4; n++) open(`a${n}`, 100)
  open('a9', 200)
  expect(ended, 'it is full').toEqual([])
  const growing = open('c1', 100)
  open('c2', 1)
  expect(ended).toEqual(['a9'])
  growing.letGo()
  growing.grow(5000)
  expect(ended, 'what was let go counts no more').toEqual(['a9'])
})

test('of a full line the last one of who has most of it is refused at once, and others come into it', async () => {
  const places = new WeightedQueue(1, 60_000, 4)
  const inside = await places.take({ owner: ownerOf('z1'), weight: 1 })
  const told: string[] = []
  const wait = (name: string) => {
    const taken = places.take({ owner: ownerOf(name), weight: 1 })
    void taken.then(
      (giveBack) => {
        told.push(`${name} came in`)
        giveBack()
      },
      (error: { code?: string; details?: { retry_after_seconds?: number } }) =>
        told.push(`${name} ${error.code} ${error.details?.retry_after_seconds}`),
    )
  }
  for (const name of ['a1', 'a1', 'a2', 'a1']) wait(name)
  wait('b1')
  await settled()
  expect(told).toEqual(['a1 UNAVAILABLE 5'])
  wait('a3')
  await settled()
  expect(told).toHaveLength(2)
  inside()
  await settled()
  expect(told.filter((one) => one.endsWith('came in'))).toHaveLength(4)
  expect(told).toContain('b1 came in')
})
