// Text files of statements, one a line: every line of a file of any size, in little memory.
import type { FileWindow } from './file-window.ts'
import { FormatError } from './format-error.ts'

/** Longer than any face of a real model. */
const maxLineBytes = 256 * 1024
/** More than a model of 256 MiB has: a few seconds, whatever stands in them. */
const maxLines = 20_000_000
const [newline, returns, backslash, hash, space, tab] = [10, 13, 92, 35, 32, 9]

/** A line lies in `bytes` from `start` to `end`, both moved past its blanks and line break. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void

/**
 * Tells of every line of the first `end` bytes that holds anything. A line that ends in a backslash goes on in the next,
 * both are told as one with the backslash in it; comments (`#`) do not. The bytes are valid during the call only.
 * Throws FormatError `too-large` for a line of more than 256 KiB or more than 20 million lines, `truncated` when the bytes
 * are not at hand.
 */
export function eachLine(file: FileWindow, end: number, onLine: OnLine): void {
  let carried = Buffer.alloc(0)
  let lines = 0
  for (const piece of file.pieces(0, end)) {
    const bytes = carried.length > 0 ? Buffer.concat([carried, piece]) : piece
    const whole = eachWholeLine(bytes, onLine)
    lines += whole.lines
    if (bytes.length - whole.end > maxLineBytes) throw tooMuch(file, `a line of more than ${maxLineBytes} bytes`)
    if (lines > maxLines) throw tooMuch(file, `more than ${maxLines} lines`)
    carried = Buffer.from(bytes.subarray(whole.end))
  }
  tell(carried, { start: 0, end: carried.length }, onLine)
}

function tooMuch({ what }: FileWindow, problem: string): FormatError {
  return new FormatError('too-large', `The ${what} has ${problem}.`)
}

/** Where the last line that has ended ends, and how many line breaks there were. */
function eachWholeLine(bytes: Buffer, onLine: OnLine): { end: number; lines: number } {
  let start = 0
  let lines = 0
  let isComment: boolean | undefined
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    lines++
    isComment ??= bytes[skipBlanks(bytes, start, at)] === hash
    if (!isComment && bytes[bytes[at - 1] === returns ? at - 2 : at - 1] === backslash) continue
    tell(bytes, { start, end: at }, onLine)
    start = at + 1
    isComment = undefined
  }
  return { end: start, lines }
}

function tell(bytes: Buffer, line: { start: number; end: number }, onLine: OnLine): void {
  let { end } = line
  const start = skipBlanks(bytes, line.start, end)
  while (end > start && isBlank(bytes[end - 1])) end--
  if (end > start) onLine(bytes, start, end)
}

/** Whether a byte parts words: blanks, and what is left of a line that goes on. */
export function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab || byte === returns || byte === newline || byte === backslash
}

/** The first offset from `start` on that is not blank, or `end`. */
export function skipBlanks(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && isBlank(bytes[at])) at++
  return at
}

/** How many words lie between `start` and `end`. */
export function countWords(bytes: Buffer, start: number, end: number): number {
  let words = 0
  let inWord = false
  for (let at = start; at < end; at++) {
    const blank = isBlank(bytes[at])
    if (!blank && !inWord) words++
    inWord = !blank
  }
  return words
}
