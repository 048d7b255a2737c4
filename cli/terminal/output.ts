/** Where a command's words go: results to stdout, everything else to stderr, JSON instead when asked for. */

import { randomInt } from 'node:crypto'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { printable } from '../../system/printable.ts'
import { wrap } from './wrap.ts'

/** A stream that may be a terminal. */
export type OutStream = Writable & { isTTY?: boolean; columns?: number; rows?: number }

type Environment = Readonly<Record<string, string | undefined>>

interface Streams {
  stdout: OutStream
  stderr: OutStream
  env: Environment
}

type Style = Parameters<typeof styleText>[0]
export type Paint = (style: Style, text: string) => string

/**
 * Text for people: sentences, which are broken at the width of a terminal, or lines that are laid out already; or a way to make
 * them that is only used without `--json`.
 */
export type View = string | readonly string[] | (() => string | readonly string[])

/** Where results go that are read by programs. */
export interface Documents {
  /** A document of a command is printed whole, one of many on a line. Settles when it is printed. */
  print(document: unknown, form: 'whole' | 'line'): Promise<void>
  /** Settles when all are printed; throws what one of them could not be printed for. */
  printed(): Promise<void>
}

export interface Output {
  json: boolean
  /** stdout is a terminal. */
  terminal: boolean
  /** Columns of the terminal; without end where there is none. */
  width: number
  /** Styles text for stdout; leaves it alone without colour. */
  paint: Paint
  /** The command's one result: the value with `--json`, else the view. */
  result(value: unknown, view: View): void
  /** One of many results that come over time: the value on a line with `--json`, else the view. */
  event(value: unknown, view: View): Promise<void>
  /** Lines of a result that comes piece by piece; nothing with `--json`. */
  lines(view: View): void
  /** Bytes for the terminal, such as a picture: as they are. Nothing with `--json`. */
  raw(bytes: string | Uint8Array): void
  /** A remark beside the result, on stderr; nothing with `--json`. */
  note(text: string): void
}

/** Colour on a stream: only on a terminal, never against NO_COLOR, always with FORCE_COLOR (no-color.org, force-color.org). */
export function hasColor(stream: OutStream, env: Environment): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && env.TERM !== 'dumb'
}

/** Parameters of this process alone, which mark the styles that it gives itself. Each has four digits, as those who measure texts expect. */
const mark = Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';')
const csi = '\\u001b\\['
const styles = new RegExp(`${csi}([\\d;]*)m`, 'g')
const markedStyles = new RegExp(`${csi}${mark};([\\d;]*)m`, 'g')

/** A paint that styles only where there is colour. What it gives is marked, and is written by `shown`. */
export const painter = (color: boolean): Paint =>
  color ? (style, text) => marked(styleText(style, shown(text), { validateStream: false })) : (_style, text) => text

/** For what is drawn in characters: its styles are ours. */
export const marked = (drawn: string): string => drawn.replace(styles, `\u001b[${mark};$1m`)

/**
 * What is written on a stream: with the styles that a painter gave, and nothing else that drives a terminal or hides.
 * Ends of lines and tabs stay.
 */
export const shown = (text: string): string =>
  text
    .split(markedStyles)
    .map((part, at) => (at % 2 === 1 ? `\u001b[${part}m` : plain(part)))
    .join('')

/** A sentence on one line: no name in it begins a line of its own. */
export const onOneLine = (text: string): string => text.replaceAll(/[\n\r\t]/g, '\ufffd')

const plain = (text: string): string =>
  text
    .split(/([\n\t])/)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('')

/** An empty text is no line; an empty line is `['']`. */
const asText = (view: View, width: number): string => {
  const made = typeof view === 'function' ? view() : view
  const lines = typeof made === 'string' ? (made === '' ? [] : wrap(made, width)) : made
  return shown(lines.map((line) => `${line}\n`).join(''))
}

/** Columns at which sentences are broken: those of a terminal; without end where there is none, as nothing is broken there. */
export const wrapWidth = (stream: OutStream, env: Environment): number =>
  stream.isTTY ? columnsOf(stream, env) : Number.POSITIVE_INFINITY

/** Columns to write for: the terminal's, within reason; COLUMNS or 80 where there is none. */
export function columnsOf(stream: OutStream, env: Environment): number {
  const columns = stream.columns ?? Number(env.COLUMNS ?? 80)
  return Number.isInteger(columns) && columns >= 20 ? Math.min(columns, 400) : 80
}

/** Without documents the results are for people. */
export function makeOutput({ stdout, stderr, env }: Streams, documents: Documents | undefined): Output {
  const json = documents !== undefined
  const width = wrapWidth(stdout, env)
  let given = false
  const write = (bytes: string | Uint8Array) => {
    if (!json) stdout.write(bytes)
  }
  return {
    json,
    terminal: stdout.isTTY === true,
    width,
    paint: painter(hasColor(stdout, env)),
    result(value, view) {
      if (!documents) return write(asText(view, width))
      if (given) throw new Error('A command gave two results.')
      given = true
      void documents.print(value, 'whole')
    },
    event: async (value, view) => (documents ? documents.print(value, 'line') : write(asText(view, width))),
    lines: (view) => (json ? undefined : write(asText(view, width))),
    raw: write,
    note(text) {
      if (!json) stderr.write(shown(`${wrap(text, wrapWidth(stderr, env)).join('\n')}\n`))
    },
  }
}
