/** Option values out of a short list. */
import { wrongUsage } from '../../refusal.ts'

/** Reads one of `allowed`; `what` is the option as typed. */
export const oneOf =
  <const T extends readonly string[]>(what: string, allowed: T) =>
  (written: string): T[number] => {
    const found = allowed.find((one) => one === written)
    if (found === undefined) throw wrongUsage(`${what} takes ${allowed.join(', ')}, not "${written}".`, 'Choose one of these.')
    return found
  }
