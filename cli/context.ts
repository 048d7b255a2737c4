/** What a command may touch: streams, surroundings, its output, and the library it talks to. Nothing reads `process` but main.ts. */
import type { Readable } from 'node:stream'
import type { Pause } from '../client/http/pause.ts'
import { type Documents, makeOutput, type Output, type OutStream } from './terminal/output.ts'

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
  /** Variables of `env` that the file of settings gave, and not the environment. */
  fromSettings?: ReadonlySet<string>
}

/** Options that every command takes. */
export interface Globals {
  json: boolean
  /** What to print of the JSON instead of all: an expression of jq, or a template. */
  jq: string | undefined
  template: string | undefined
  /** Names of fields, with commas between them: what to keep of the JSON. */
  fields: string | undefined
  profile: string | undefined
  url: string | undefined
}

/** Runs `ph` with other arguments; gives its exit code. */
export type Run = (args: readonly string[], surroundings: Surroundings) => Promise<number>

export interface Context extends Surroundings {
  globals: Pick<Globals, 'profile' | 'url'>
  out: Output
  /** Someone is there to answer: both ends are terminals and no JSON was asked for. */
  interactive: boolean
  run: Run
}

interface Making {
  globals: Partial<Globals>
  /** Where results go that are asked for as JSON. */
  documents: Documents | undefined
  run: Run
}

/** Puts together what a command gets. */
export function makeContext(surroundings: Surroundings, { globals, documents, run }: Making): Context {
  const { stdin, stderr } = surroundings
  return {
    ...surroundings,
    globals: { profile: globals.profile, url: globals.url },
    out: makeOutput(surroundings, documents),
    interactive: !documents && stdin.isTTY === true && stderr.isTTY === true,
    run,
  }
}
