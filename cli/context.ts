/** What a command may touch: streams, surroundings, its output, and the library it talks to. Nothing reads `process` but main.ts. */
import type { Readable } from 'node:stream'
import type { Pause } from '../client/http/pause.ts'
import { makeOutput, type Output, type OutStream } from './terminal/output.ts'

export type InStream = Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** Everything outside the program, handed in by main.ts or by a test. */
export interface Surroundings {
  env: Record<string, string | undefined>
  cwd: string
  stdin: InStream
  stdout: OutStream
  stderr: OutStream
  /** Aborted by Ctrl-C, by SIGTERM, or when who read stdout has gone. */
  signal: AbortSignal
  now(): Date
  pause: Pause
}

/** Options that every command takes. */
export interface Globals {
  json: boolean
  profile: string | undefined
  url: string | undefined
}

/** Runs `ph` with other arguments; gives its exit code. */
export type Run = (args: readonly string[], surroundings: Surroundings) => Promise<number>

export interface Context extends Surroundings {
  globals: Globals
  out: Output
  /** Someone is there to answer: both ends are terminals and no JSON was asked for. */
  interactive: boolean
  run: Run
}

/** Puts together what a command gets. */
export function makeContext(surroundings: Surroundings, globals: Partial<Globals>, run: Run): Context {
  const { stdin, stderr } = surroundings
  const json = globals.json === true
  return {
    ...surroundings,
    globals: { json, profile: globals.profile, url: globals.url },
    out: makeOutput(surroundings, json),
    interactive: !json && stdin.isTTY === true && stderr.isTTY === true,
    run,
  }
}
