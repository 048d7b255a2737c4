/** One line that a person types in answer to a question. */
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { shown } from './output.ts'

/** A line; undefined when there is no more input. Ctrl-C, which readline keeps to itself, ends the run as it does elsewhere. */
export async function typedLine(lines: Interface, prompt: string, signal: AbortSignal): Promise<string | undefined> {
  const interrupted = new AbortController()
  const onInterrupt = () => interrupted.abort()
  lines.once('SIGINT', onInterrupt)
  const closed = once(lines, 'close', { signal: interrupted.signal }).then(() => undefined)
  try {
    const answered = lines.question(shown(prompt), { signal: AbortSignal.any([signal, interrupted.signal]) })
    return (await Promise.race([answered, closed]))?.trim()
  } finally {
    lines.off('SIGINT', onInterrupt)
    closed.catch(() => undefined)
    interrupted.abort()
  }
}

/** Waits until someone has read what was said. */
export async function waitForEnter({ stdin, stderr, signal }: Context, prompt: string): Promise<void> {
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    await typedLine(lines, prompt, signal)
  } finally {
    lines.close()
    // Node stops reading the terminal a moment after readline paused it, and would stop who reads next.
    await breathe()
  }
}
