/** Messages on stdin: whole ones come as they were cut by the wire, and of one that is too long id and method are known. */
import { expect, test } from 'vitest'
import { type Head, MessageLines } from '../../mcp/message-lines.ts'

function read(most: number, chunks: readonly Buffer[]) {
  const taken: string[] = []
  const skipped: Head[] = []
  const lines = new MessageLines(most, { take: (line) => taken.push(line.toString()), skip: (head) => skipped.push(head) })
  for (const chunk of chunks) lines.write(chunk)
  return { taken, skipped }
}

const inPieces = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

test.each([1, 3, 7, 1000])('messages come whole and in order, in pieces of %i bytes', (size) => {
  const lines = ['{"id":1,"text":"ä\\n"}\n', '\n', '{"id":2}\r\n', '{"id":3}\n']
  expect(read(100, inPieces(lines.join(''), size))).toEqual({ taken: lines, skipped: [] })
})

const long = 'x'.repeat(500)
const given: [string, Head][] = [
  [
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":1,"method":"no","text":"${long}"}}`,
    { id: 7, method: 'tools/call' },
  ],
  [
    `{"method":"tools/call","params":{"text":"${long}","more":[{"id":1}]},"jsonrpc":"2.0","id":"a\\"b,}"}`,
    { id: 'a"b,}', method: 'tools/call' },
  ],
  [`{"method" : "notifications/x", "params" : {"text":"${long}\\\\"}}`, { id: undefined, method: 'notifications/x' }],
  [`{"text":"\\"id\\":5,${long}","id":6}`, { id: 6, method: undefined }],
  [`${long}`, { id: undefined, method: undefined }],
  [`}]${long}{"id":1}`, { id: undefined, method: undefined }],
]

test.each(given)('of a message that is too long only what names it is kept, and the next one is read: %.40s', (line, head) => {
  for (const size of [1, 64, 10_000])
    expect(read(200, inPieces(`{"id":1}\n${line}\n{"id":2}\n`, size))).toEqual({
      taken: ['{"id":1}\n', '{"id":2}\n'],
      skipped: [head],
    })
})
