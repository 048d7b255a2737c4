/** Where a push is: counts, rates and time left out of what it tells, and the display made of them. */
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { advance, type PushProgress, pushLook, startOfPush } from '../../../cli/commands/push/progress.ts'
import { type ProgressRow, progressLine } from '../../../cli/terminal/progress.ts'
import { bar, barWidth, openProgress } from '../../../cli/terminal/views/progress.tsx'
import type { PushEvent } from '../../../client/progress.ts'

const MiB = 1024 ** 2

const progressRows = (progress: PushProgress, nowMs: number): ProgressRow[] => pushLook(progress, nowMs).rows
const lineOf = (progress: PushProgress, nowMs: number): string => progressLine(pushLook(progress, nowMs))

/** Tells events, each so many milliseconds after the start. */
const after = (events: [atMs: number, event: PushEvent][]): PushProgress =>
  events.reduce((progress, [atMs, event]) => advance(progress, event, atMs), startOfPush())
const read = (doneMiB: number): PushEvent => ({
  kind: 'read',
  files: doneMiB,
  totalFiles: 100,
  bytes: doneMiB * MiB,
  totalBytes: 100 * MiB,
})

test('rate and time left come from the last seconds', () => {
  const progress = after([
    [0, read(0)],
    [1000, read(10)],
    [2000, read(20)],
  ])
  expect(progressRows(progress, 2000)).toEqual([
    { label: 'Reading', fraction: 0.2, amount: '20.0 MiB of 100 MiB', pace: '10.0 MiB/s, 8.0 s left' },
  ])
})

test('a push that slows down says so within seconds', () => {
  const fast: [number, PushEvent][] = [0, 1, 2, 3].map((second) => [second * 1000, read(second * 20)])
  const slow: [number, PushEvent][] = [4, 5, 6, 7, 8, 9].map((second) => [second * 1000, read(60 + second - 3)])
  expect(progressRows(after([...fast, ...slow]), 9000)[0]?.pace).toContain('1.0 MiB/s')
})

test('no rate is told before there is one', () => {
  expect(progressRows(after([[0, read(1)]]), 100)[0]?.pace).toBe('')
})

test('what is done shows its total and no pace', () => {
  expect(
    progressRows(
      after([
        [0, read(0)],
        [3000, read(100)],
      ]),
      3000,
    )[0],
  ).toMatchObject({ fraction: 1, amount: '100 MiB', pace: '' })
})

test('a push of empty files is measured by their number', () => {
  const event: PushEvent = { kind: 'read', files: 5, totalFiles: 10, bytes: 0, totalBytes: 0 }
  expect(progressRows(after([[0, event]]), 0)[0]?.fraction).toBe(0.5)
})

test('a wait is told with the time left until it is over, also while counts are told', () => {
  const wait: PushEvent = {
    kind: 'wait',
    reason: 'nothing listens there',
    for: 'network',
    delayMs: 2000,
    failures: 1,
    method: 'PUT',
    url: 'http://x',
  }
  const waiting = after([
    [0, read(1)],
    [100, wait],
  ])
  expect(lineOf(waiting, 100)).toBe('Trying again in 2.0 s: nothing listens there')
  expect(lineOf(waiting, 1100)).toBe('Trying again in 1.0 s: nothing listens there')
  expect(lineOf(advance(waiting, read(1), 600), 600)).toBe('Trying again in 1.5 s: nothing listens there')
  expect(lineOf(advance(waiting, read(2), 2200), 2200)).toMatch(/^Reading/)
})

test('of requests that wait beside each other one countdown is shown to its end, then that of the next', () => {
  const wait = (delayMs: number): PushEvent => ({
    kind: 'wait',
    reason: 'away',
    for: 'network',
    delayMs,
    failures: 1,
    method: 'PUT',
    url: 'http://x',
  })
  const waiting = after([
    [0, read(1)],
    [100, wait(2000)],
    [200, wait(8000)],
    [300, wait(500)],
    [400, wait(4000)],
  ])
  const seconds = [400, 1000, 1600, 2050, 2200, 3200, 4300, 4500, 8100].map(
    (nowMs) => lineOf(waiting, nowMs).match(/\d+\.\d/)?.[0],
  )
  expect(seconds).toEqual(['1.7', '1.1', '0.5', '0.1', '2.2', '1.2', '0.1', '3.7', '0.1'])
})

test('a bar shows its share without colour', () => {
  expect(bar(0.5, 8)).toEqual({ full: '████', rest: '░░░░' })
  expect(bar(2, 4)).toEqual({ full: '████', rest: '' })
})

test('the display fits every terminal from 40 columns, and gives up the pace before the bar', () => {
  expect(barWidth(60).withPace).toBe(false)
  expect(barWidth(80).withPace).toBe(true)
  for (const columns of [40, 45, 60, 80, 200]) expect(barWidth(columns).bar + 12 + 1 + 22).toBeLessThanOrEqual(columns)
})

test('on a narrow terminal a label keeps its distance from the bar, and every row its line', async () => {
  const chunks: string[] = []
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 40, rows: 24 })
  stream.on('data', (chunk) => chunks.push(String(chunk)))
  const display = openProgress({ stream, columns: 40, color: false })
  display.show(pushLook(after([[0, { kind: 'commit', items: 500, totalItems: 1660 }]]), 0))
  await display.end()
  expect(stripVTControlCharacters(chunks.join(''))).toContain('Registering █░░░ 500 of 1,660')
})

test('the display is drawn by ink on the stream it is given, and leaves nothing behind', async () => {
  const chunks: string[] = []
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  stream.on('data', (chunk) => chunks.push(String(chunk)))
  const display = openProgress({ stream, columns: 80, color: false })
  const progress = after([
    [0, read(0)],
    [1000, read(50)],
  ])
  display.show(pushLook(progress, 1000))
  await display.end()
  const text = chunks.join('')
  expect(stripVTControlCharacters(text)).toContain('Reading     █████████░░░░░░░░░ 50.0 MiB of 100 MiB')
  expect(text).not.toMatch(new RegExp(`${String.fromCharCode(27)}\\[3\\d`))
  expect(text.lastIndexOf(`${String.fromCharCode(27)}[2K`)).toBeGreaterThan(text.lastIndexOf('Reading'))
})
