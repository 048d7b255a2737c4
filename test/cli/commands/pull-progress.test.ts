/** Where a pull is: rows made of what it tells, and what is said while there is nothing to measure. */
import { expect, test } from 'vitest'
import { type PullProgress, pullModel } from '../../../cli/commands/pull/progress.ts'
import { progressLine } from '../../../cli/terminal/progress.ts'
import type { PullEvent } from '../../../client/progress.ts'

const MiB = 1024 ** 2
const after = (...events: PullEvent[]): PullProgress =>
  events.reduce((progress, event, second) => pullModel.advance(progress, event, second * 1000), pullModel.start())
const download = (files: number): PullEvent => ({
  kind: 'download',
  files,
  bytes: files * MiB,
  totalFiles: 10,
  totalBytes: 10 * MiB,
})
const lineOf = (progress: PullProgress): string => progressLine(pullModel.look(progress, 1000))

test('downloading, preparing and placing each have a row once they have begun', () => {
  const progress = after(download(4), { kind: 'stage', files: 3, totalFiles: 10 }, { kind: 'place', files: 1, totalFiles: 10 })
  const rows = pullModel.look(progress, 3000).rows.map(({ label, fraction }) => [label, fraction])
  expect(rows).toEqual([
    ['Downloading', 0.4],
    ['Preparing', 0.3],
    ['Placing', 0.1],
  ])
})

test('what is going on is said before there is anything to measure, and why it waits', () => {
  expect(lineOf(after({ kind: 'phase', phase: 'compare' }))).toBe('Looking at what is here')
  const busy: PullEvent = { kind: 'wait', reason: 'another pull into this project is under way', delayMs: 0 }
  expect(lineOf(after(busy))).toBe('Waiting: another pull into this project is under way')
  expect(lineOf(after(busy, download(1)))).toMatch(/^Downloading: 1.0 MiB of 10.0 MiB/)
})

test('the next job begins anew', () => {
  const progress = after(download(10), { kind: 'job', jobId: 2, files: 1, bytes: 1 })
  expect(pullModel.look(progress, 1000).rows).toEqual([])
})
