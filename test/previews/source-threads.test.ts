/** Threads that read source data: what one file does to its thread is nothing to the next file. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSourceOrders } from '../../previews/threads/source-threads.ts'
import type { SourceAnswer } from '../../previews/threads/source-worker.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const triangle = 'v 0 0 0\nv 10 0 0\nv 0 10 0\nf 1 2 3\n'

test('a few small files are read in one thread, and a file that is waited for does not hold up the others', async () => {
  let started = 0
  const count = () => started++
  process.on('worker', count)
  try {
    const folder = temporaryFolder({ 'Flag.obj': triangle })
    const fifo = join(folder, 'Late.obj')
    execFileSync('mkfifo', [fifo])
    const order = (path: string) => ({ path, want: 'facts' as const })
    const small = Array.from({ length: 8 }, () => order(join(folder, 'Flag.obj')))
    const told: number[] = []
    const onAnswer = (at: number) => told.push(at)
    await runSourceOrders(small, { onAnswer }, { threads: 2, startsAfterMs: 20_000 })
    expect([told.length, started]).toEqual([8, 1])
    told.length = 0
    const run = runSourceOrders([order(fifo), ...small], { onAnswer }, { threads: 2 })
    await expect.poll(() => told.length, { timeout: 20_000 }).toBe(8)
    writeFileSync(fifo, triangle)
    await run
    expect([told.at(-1), started]).toEqual([0, 3])
  } finally {
    process.off('worker', count)
  }
})

test('a file that takes all the memory of its thread is named, and the next one is read in a new thread', async () => {
  const folder = temporaryFolder({ 'Flag.obj': triangle })
  // Names are kept as JavaScript's own text: they do not fit beside the program itself.
  const names = Array.from({ length: 99_999 }, (_, at) => `{"name":"${'x'.repeat(300)}${at}"}`)
  writeFileSync(join(folder, 'Names.gltf'), `{"asset":{"version":"2.0"},"materials":[${names.join(',')}]}`)
  const answers: SourceAnswer[] = []
  const orders = ['Names.gltf', 'Flag.obj'].map((name) => ({ path: join(folder, name), want: 'facts' as const }))
  const onAnswer = (at: number, answer: SourceAnswer) => {
    answers[at] = answer
  }
  await runSourceOrders(orders, { onAnswer }, { threads: 1, heapMiB: 28 })
  expect(answers).toMatchObject([
    { kind: 'failed', reason: 'ended', message: 'Reading it took more memory than there is for one file.' },
    { kind: 'facts', facts: { triangles: 1 } },
  ])
})
