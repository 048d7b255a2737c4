// The thread that reads large bodies: what is too much for it ends it alone, and the next body gets another.
import { expect, onTestFinished, test } from 'vitest'
import { BodyReader } from '../../server/bodies/reader.ts'
import { withJunk } from '../support/large-bodies.ts'

const taskOf = (body: string) => ({
  method: 'POST',
  path: '/push/commit',
  params: {},
  query: {},
  blocks: [Buffer.from(new TextEncoder().encode(body).buffer)],
})
const patient = new AbortController().signal

function reader(heapMiB: number): BodyReader {
  const made = new BodyReader(heapMiB)
  onTestFinished(() => made.close())
  return made
}

test('a body that takes more memory than its thread has is VALIDATION, and the bodies behind it are read', async () => {
  const small = reader(64)
  const [tooMuch, next] = [small.read(taskOf(withJunk('{}', 2_900_000)), patient), small.read(taskOf(withJunk('1', 3)), patient)]
  await expect(tooMuch).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('send less at once') })
  expect((await next).items).toHaveLength(1)
})

test('a body that nobody waits for any more is not read to its end, and the next one is read from its beginning', async () => {
  const one = reader(256)
  const leaving = new AbortController()
  const left = one.read(taskOf(withJunk('"x"', 100_000)), leaving.signal)
  leaving.abort(new Error('gone'))
  const next = one.read(taskOf(withJunk('1', 3)), patient)
  await expect(left).rejects.toThrow('gone')
  const input = await next
  expect([Object.keys(input), (input.items as unknown[]).length]).toEqual([['items'], 1])
})
