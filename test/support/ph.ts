/** Runs `ph` in this process with captured streams, as a person or a script would run it. Its JSON is held against its schema. */

import { PassThrough, Readable } from 'node:stream'
import type { InStream } from '../../cli/context.ts'
import { run } from '../../cli/program.ts'
import type { OutStream } from '../../cli/terminal/output.ts'
import { type Pause, pause } from '../../client/http/pause.ts'
import { checkDocuments } from './document-check.ts'

export interface Setting {
  env?: Record<string, string>
  cwd?: string
  /** What arrives on standard input. */
  stdin?: string
  /** Makes stdin, stdout and stderr terminals of this many columns. */
  columns?: number
  /** What a person types on the terminal, in answer to each question. */
  typed?: readonly string[]
  signal?: AbortSignal
  now?: Date | (() => Date)
  /** Instead of waiting. */
  pause?: Pause
  /** Told what appears on stderr, as it does. */
  onStderr?: (text: string) => void
  /** Told what appears on stdout, as it does. */
  onStdout?: (text: string) => void
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
  /** stdout as the one JSON document that `--json` promises. */
  json(): unknown
}

/** Settings for a run that is signed in: the address and key of a workspace. */
export const signedIn = (url: string, key: string): Record<string, string> => ({ PH_URL: url, PH_API_KEY: key })

const nowhere = { PH_CONFIG_DIR: '/nonexistent', PH_STATE_DIR: '/nonexistent', PH_CACHE_DIR: '/nonexistent' }

/** `ph('search --limit 5')`, or a list where an argument holds a space. Folders for settings are never the person's own; previews are made where a test sets PH_PREVIEWS. */
export async function ph(line: string | readonly string[], setting: Setting = {}): Promise<Outcome> {
  const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : line
  const stdout = captured(setting.columns)
  const stderr = captured(setting.columns)
  if (setting.onStdout) stdout.stream.on('data', (chunk: Buffer) => setting.onStdout?.(chunk.toString()))
  if (setting.onStderr) stderr.stream.on('data', (chunk: Buffer) => setting.onStderr?.(chunk.toString()))
  const stdin: InStream = Object.assign(setting.typed ? typist(setting.typed, stderr.stream) : piped(setting.stdin), {
    isTTY: setting.columns !== undefined && setting.stdin === undefined,
  })
  const code = await run(args, {
    env: { ...nowhere, PH_PREVIEWS: 'off', ...setting.env },
    cwd: setting.cwd ?? process.cwd(),
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: setting.signal ?? new AbortController().signal,
    now: () => (typeof setting.now === 'function' ? setting.now() : (setting.now ?? new Date())),
    pause: setting.pause ?? pause,
  })
  const out = stdout.text()
  checkDocuments(args, { stdout: out, stderr: stderr.text() })
  return { code, stdout: out, stderr: stderr.text(), json: () => JSON.parse(out) }
}

const piped = (text: string | undefined): Readable => Readable.from(text === undefined ? [] : [Buffer.from(text)])

/** Types one answer for each prompt (`> `) that appears, then ends the input. */
function typist(answers: readonly string[], screen: OutStream): Readable {
  const keyboard = new PassThrough()
  const rest = [...answers]
  screen.on('data', (chunk: Buffer) => {
    if (!chunk.toString().endsWith('> ')) return
    const next = rest.shift()
    if (next === undefined) keyboard.end()
    else keyboard.write(next)
  })
  return keyboard
}

function captured(columns: number | undefined): { stream: OutStream; text(): string } {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const terminal = columns === undefined ? {} : { isTTY: true, columns, rows: 40 }
  return { stream: Object.assign(stream, terminal), text: () => Buffer.concat(chunks).toString() }
}
