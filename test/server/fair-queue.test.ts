// Places for those who write: handed out in turn, to nobody all of them, and nobody waits without end.
import { expect, test } from 'vitest'
import { FairQueue, type Leave } from '../../server/database/fair-queue.ts'

const limits = { slots: 3, slotsEach: 2, waitMs: 60_000, message: 'Come back later.' }

/** Names of those who have got a place, in their order, and how each gives it back. */
function askers<K>(queue: FairQueue<K>) {
  const entered: string[] = []
  const leave = new Map<string, Leave>()
  const enter = (name: string, left: Leave) => {
    leave.set(name, left)
    entered.push(name)
  }
  // Who still waits when a test has seen enough is refused later.
  const ask = (key: K, name: string) =>
    void queue
      .take(key)
      .then((left) => enter(name, left))
      .catch(() => {})
  const goes = async (name: string, inVain?: boolean) => {
    leave.get(name)?.(inVain)
    await Promise.resolve()
  }
  return { entered, ask, goes }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('one asker never has all places, and who comes later finds one', async () => {
  const { entered, ask } = askers(new FairQueue<string>(limits))
  for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name)
  ask('b', 'b1')
  await settle()
  expect(entered).toEqual(['a1', 'a2', 'b1'])
})

test('places go to those who wait in turn, and within one line to who came first', async () => {
  const { entered, ask, goes } = askers(new FairQueue<string>({ ...limits, slots: 1, slotsEach: 1 }))
  for (const [key, name] of [
    ['a', 'a1'],
    ['a', 'a2'],
    ['a', 'a3'],
    ['b', 'b1'],
    ['b', 'b2'],
    ['c', 'c1'],
  ] as const)
    ask(key, name)
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
    await settle()
    await goes(name)
    await goes(name)
  }
  expect(entered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

test('who is there first is let in first: no one slips past those who wait', async () => {
  const queue = new FairQueue<string>({ ...limits, slots: 1, slotsEach: 1 })
  const first = queue.takeNow('a')
  void queue.take('a')
  first?.()
  expect(queue.takeNow('a')).toBeUndefined()
  expect(queue.takeNow('b')).toBeUndefined()
})

test('who waits in vain is told to come back, and leaves the line to the others', async () => {
  const queue = new FairQueue<string>({ ...limits, slots: 1, slotsEach: 1, waitMs: 50 })
  const leave = await queue.take('a')
  await expect(queue.take('a')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'Come back later.',
    details: { reason: 'busy' },
  })
  const next = queue.take('b')
  leave()
  await next
})

test('a place that was of no use to the one before gives no hope, and one that was gives some', async () => {
  const short = new FairQueue<string>({ ...limits, slots: 1, slotsEach: 1, waitMs: 100 })
  const ended: string[] = []
  const lineWhoseFirst = async (inVain: boolean) => {
    const queue = new FairQueue<string>({ ...limits, slots: 1, slotsEach: 1, waitMs: 200 })
    const leave = await queue.take('a')
    const [second, third] = [queue.take('a'), queue.take('a')]
    const end = third.catch(() => ended.push(inVain ? 'in vain' : 'in use'))
    return { leave: () => leave(inVain), second, end }
  }
  // The line that moves is there first, so that it would also end first.
  const [moving, stuck] = [await lineWhoseFirst(false), await lineWhoseFirst(true)]
  await short.take('a')
  await expect(short.take('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  moving.leave()
  stuck.leave()
  await Promise.all([moving.second, stuck.second])
  await Promise.all([moving.end, stuck.end])
  expect(ended).toEqual(['in vain', 'in use'])
})
