/** Threads that read source data: what one file does to its thread is nothing to the next file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSourceOrders } from '../../previews/threads/source-threads.ts'
import type { SourceAnswer } from '../../previews/threads/source-worker.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const triangle = 'v 0 0 0\nv 10 0 0\nv 0 10 0\nf 1 2 3\n'

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
