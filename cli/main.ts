/** The `ph` program on a real terminal: hands the process's surroundings to run(), and ends with its exit code. */

import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { pause } from '../client/http/pause.ts'
import { exits } from '../contract/errors.ts'
import type { Surroundings } from './context.ts'
import { asksForDocuments } from './documents/shape.ts'
import { type Ending, failureOf, tellFailure } from './exit.ts'
import { run } from './program.ts'
import { failed } from './refusal.ts'
import type { OutStream } from './terminal/output.ts'
import { openStandardOutput } from './terminal/standard-output.ts'

/** Runs `ph` and ends the process. */
export async function main(args: string[]): Promise<void> {
  const stopping = new AbortController()
  const stop = (ending: Ending) => stopping.abort(ending)
  const stdout = openStandardOutput()
  onBrokenPipe(stdout, stop)
  const stops = onStops(stop)
  const surroundings: Surroundings = {
    env: process.env,
    cwd: await currentFolder(),
    stdin: process.stdin,
    stdout,
    stderr: process.stderr,
    signal: stopping.signal,
    now: () => new Date(),
    pause,
  }
  const code = await run(args, surroundings)
  stops.hasRun()
  await drained(stdout)
  const told = tellLost(stdout, surroundings, args)
  await drained(process.stderr)
  process.exit(told ?? code)
}

/** As the shell names it, where that is a way into a project: its Content folder may be a link to another disk. */
async function currentFolder(): Promise<string> {
  const cwd = process.cwd()
  const { PWD: named = cwd } = process.env
  if (named === cwd || !isAbsolute(named) || !existsSync(named) || realpathSync(named) !== realpathSync(cwd)) return cwd
  const { placeInProject } = await import('../client/project/paths.ts')
  return placeInProject(named)
}

/** Output that was lost is a failure, whatever the command did. That nobody reads on is none. */
function tellLost({ errored }: OutStream, surroundings: Surroundings, args: string[]): number | undefined {
  const { code } = (errored ?? {}) as NodeJS.ErrnoException
  if (!errored || code === 'EPIPE') return undefined
  const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk it goes to is full' : errored.message
  const failure = failed(
    'OUTPUT_LOST',
    `The output of this command could not be written to stdout: ${why}.`,
    'Free some space there, or send the output elsewhere, then run the command again. What it changed in the library stays changed.',
  )
  tellFailure(failureOf(failure), surroundings, asksForDocuments(args))
  return failure.exit
}

/** The first Ctrl-C or SIGTERM asks the command to stop. A second one does not wait for it, nor does one while only output is left. */
function onStops(stop: (ending: Ending) => void): { hasRun(): void } {
  let isLast = false
  const onStop = () => {
    if (isLast) process.exit(exits.interrupted)
    isLast = true
    stop('interrupted')
  }
  process.on('SIGINT', onStop)
  process.on('SIGTERM', onStop)
  onStarterGone(onStop)
  return {
    hasRun() {
      isLast = true
    },
  }
}

/** An older Node that handed over to this one (bin/ph.mjs) may be killed: a kill of it is meant for this command. */
function onStarterGone(onGone: () => void): void {
  if (process.env.PH_STARTED_BY !== 'ph') return
  delete process.env.PH_STARTED_BY
  process.once('disconnect', onGone)
  // The channel keeps no command running.
  process.channel?.unref()
}

/**
 * `ph search | head -1`: nobody reads on, so there is nothing left to do; nor is there where the output does not fit. What goes to
 * a stderr that is closed or full is lost, the work goes on.
 */
function onBrokenPipe(stdout: OutStream, stop: (ending: Ending) => void): void {
  stdout.on('error', () => stop('pipe'))
  process.stderr.on('error', () => {})
}

/** Resolves when everything written so far has left the process, or cannot any more. */
const drained = (stream: OutStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve()
    else stream.write('', () => resolve())
  })
