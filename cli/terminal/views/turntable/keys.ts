/** What arrives on the keyboard's side of a terminal: keys, and what the terminal reports of itself. Pure but for its memory. */

export type TurnKey = 'left' | 'right' | 'up' | 'down' | 'in' | 'out' | 'fit' | 'space' | 'quit' | 'interrupt'

export type TerminalInput =
  | { key: TurnKey }
  /** Pixels of a character cell, as asked by `CSI 16 t`. */
  | { cell: { width: number; height: number } }

const ESC = '\u001b'
/** `CSI … final`, `SS3 final`; strings of the terminal up to their end (DCS, OSC, APC). */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what keys are made of
  /^\u001b(?:\[(?<parameters>[0-?]*)[ -/]*(?<final>[@-~])|O(?<keypad>[@-~])|[P\]_^][^\u0007\u001b]*(?:\u0007|\u001b\\))/
/** A sequence that has only begun. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const unfinished = /^\u001b(?:\[[0-?]*[ -/]*|O|[P\]_^][^\u0007\u001b]*\u001b?)?$/
/** Nothing that a terminal sends is longer. */
const longest = 4096

const arrows: Record<string, TurnKey> = { A: 'up', B: 'down', C: 'right', D: 'left' }
const letters: Record<string, TurnKey> = {
  ...{ h: 'left', l: 'right', k: 'up', j: 'down' },
  ...{ '+': 'in', '=': 'in', '-': 'out', _: 'out', '0': 'fit', ' ': 'space' },
  ...{ q: 'quit', Q: 'quit', '\u0003': 'interrupt', '\u0004': 'quit' },
}

export class KeyReader {
  #rest = ''

  /** An Esc at the end may be a key, or the beginning of one: it waits for more, or for `flush`. */
  read(text: string): TerminalInput[] {
    const inputs: TerminalInput[] = []
    let rest = this.#rest + text
    while (rest !== '' && !(rest.length < longest && unfinished.test(rest))) {
      const match = sequence.exec(rest)
      const input = match ? inputOf(match.groups ?? {}) : keyOf(rest.charAt(0))
      if (input) inputs.push(input)
      rest = rest.slice(match?.[0].length ?? 1)
    }
    this.#rest = rest
    return inputs
  }

  get isWaiting(): boolean {
    return this.#rest !== ''
  }

  /** Nothing followed in time. */
  flush(): TerminalInput[] {
    const isEscape = this.#rest === ESC
    this.#rest = ''
    return isEscape ? [{ key: 'quit' }] : []
  }
}

function inputOf({ parameters = '', final = '', keypad }: Record<string, string>): TerminalInput | undefined {
  const key = arrows[keypad ?? final]
  if (key) return { key }
  const [kind, height = 0, width = 0] = parameters.split(';').map(Number)
  const isCell = final === 't' && kind === 6 && isCellEdge(width) && isCellEdge(height)
  return isCell ? { cell: { width, height } } : undefined
}

const isCellEdge = (pixels: number): boolean => Number.isInteger(pixels) && pixels >= 2 && pixels <= 256

/** Esc before another key, as Alt sends it, is part of that key. */
function keyOf(letter: string): TerminalInput | undefined {
  const key = letters[letter]
  return key && { key }
}
