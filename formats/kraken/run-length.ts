// Run-length arrays: commands, read from the end backwards, that copy literals from the front or repeat a byte.
import { damaged } from './damage.ts'
import type { Span } from './memory.ts'

/** Throws FormatError unless literals and commands meet exactly, and give exactly as many bytes as `raw` has. */
export function expandRuns(packed: Uint8Array, { from, to }: Span, raw: Span & { bytes: Uint8Array }): void {
  let front = from
  let back = to
  let at = raw.from
  let runByte = 0
  while (front < back) {
    let command = packed[--back] as number
    if (command > 0 && command < 0x30) {
      if (front === back) throw damaged('ends within a run-length array')
      if (command === 1) {
        runByte = packed[front++] as number
        continue
      }
      command = (command << 8) | (packed[--back] as number)
    }
    const copy = copyOf(command)
    const run = runOf(command)
    if (copy > back - front || copy + run > raw.to - at) throw damaged('has run-length commands past their end')
    for (const end = at + copy; at < end; ) raw.bytes[at++] = packed[front++] as number
    raw.bytes.fill(runByte, at, at + run)
    at += run
  }
  if (at !== raw.to) throw damaged('has a run-length array that gives too little')
}

/** Commands of two bytes are 0x200 and more. */
function copyOf(command: number): number {
  if (command < 0x100) return ~command & 15
  if (command >= 0x1000) return command & 63
  return command < 0x900 ? (command - 0x1ff) * 64 : 0
}

function runOf(command: number): number {
  if (command < 0x100) return command >> 4
  if (command >= 0x1000) return (command - 0x1000) >> 6
  return command < 0x900 ? 0 : (command - 0x8ff) * 128
}
