/** The `ph` program on a real terminal: hands the process's surroundings to run(), and ends with its exit code. */
import { exits } from '../contract/errors.ts'
import type { Surroundings } from './context.ts'
import type { Ending } from './exit.ts'
import { run } from './program.ts'

/** Runs `ph` and ends the process. */
export async function main(args: string[]): Promise<void> {
  const stopping = new AbortController()
  const stop = (ending: Ending) => stopping.abort(ending)
  onBrokenPipe(stop)
  onSignals(stop)
  const surroundings: Surroundings = {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: stopping.signal,
    now: () => new Date(),
  }
  const code = await run(args, surroundings)
  await Promise.all([drained(process.stdout), drained(process.stderr)])
  process.exit(code)
}

/** The first Ctrl-C or SIGTERM asks the command to stop; a second one does not wait for it. */
function onSignals(stop: (ending: Ending) => void): void {
  let asked = false
  const onSignal = () => {
    if (asked) process.exit(exits.interrupted)
    asked = true
    stop('interrupted')
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

/** `ph entries | head -1`: nobody reads on, so there is nothing left to do. What goes to a closed stderr is lost, the work goes on. */
function onBrokenPipe(stop: (ending: Ending) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    stop('pipe')
  })
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** Resolves when everything written so far has left the process, or cannot any more. */
const drained = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve()
    else stream.write('', () => resolve())
  })
