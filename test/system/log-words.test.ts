// What a person at a terminal reads of the log.
import { expect, test } from 'vitest'
import { logWords } from '../../system/log-words.ts'

const line = (fields: object) => logWords(JSON.stringify({ time: '2026-11-23T10:42:07.123Z', ...fields }))

test('a request is its method, path and status, and how it ended if it was not answered; warnings and errors say so', () => {
  const asked = { req: { method: 'GET', path: '/api/v1/entries' }, res: { status: 200 }, msg: 'answered' }
  expect(line({ level: 30, ...asked })).toBe('10:42:07 GET /api/v1/entries 200\n')
  const left = { req: asked.req, msg: 'the connection closed before the end' }
  expect(line({ level: 30, ...left })).toBe('10:42:07 GET /api/v1/entries: the connection closed before the end\n')
  expect(line({ level: 40, msg: 'the disk is nearly full' })).toBe('10:42:07 warning: the disk is nearly full\n')
  expect(line({ level: 50, err: { message: 'no room' }, msg: 'push failed' })).toBe('10:42:07 error: push failed: no room\n')
})

test('what others sent stays on one line and moves no cursor', () => {
  const esc = String.fromCharCode(27)
  expect(line({ level: 30, msg: `a${esc}[2J\nb` })).toBe('10:42:07 a b\n')
})
