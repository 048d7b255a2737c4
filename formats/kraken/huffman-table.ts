// A table that gives, for any 11 bits, the symbol whose code they begin with.
import { type CodeLengths, maxCodeBits } from './code-lengths.ts'
import { damaged } from './damage.ts'

export const tableSlots = 1 << maxCodeBits

/**
 * Fills `table`: slot = the next 11 bits, first bit lowest; entry = symbol * 16 + length of its code. Codes are canonical:
 * by length, then by order of appearance. Throws FormatError unless they fill the table exactly.
 */
export function fillTable(table: Uint16Array, { count, symbols, lengths }: CodeLengths): void {
  let slot = 0 // in the order of codes, first bit highest
  for (let length = 1; length <= maxCodeBits; length++) {
    const slots = tableSlots >> length
    for (let i = 0; i < count; i++) {
      if (lengths[i] !== length) continue
      const entry = ((symbols[i] ?? 0) << 4) | length
      for (let at = reversed(slot); at < tableSlots; at += 1 << length) table[at] = entry
      slot += slots
    }
  }
  if (slot !== tableSlots) throw damaged('has codes that do not fill their table')
}

/** Of a slot past the last, one within the table: the sum tells afterwards. */
function reversed(slot: number): number {
  let value = 0
  for (let bit = 0; bit < maxCodeBits; bit++) value |= ((slot >> bit) & 1) << (maxCodeBits - 1 - bit)
  return value
}
