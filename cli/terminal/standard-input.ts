/** What a command reads from standard input: all of it up to a limit, or a secret typed without being shown. */

import type { Context } from '../context.ts'
import { wrongUsage } from '../refusal.ts'
import { shown } from './output.ts'

/** All of standard input, at most `limitBytes` long. `what` names it for the error. */
export async function readAll({ stdin }: Context, what: string, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limitBytes)
      throw wrongUsage(`${what} on standard input is longer than ${limitBytes} bytes.`, 'Check what is piped into ph.')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

const ENTER = new Set(['\r', '\n', '\u0004'])
const CTRL_C = '\u0003'
const ERASE = new Set(['\u007f', '\b'])

/** A line typed or pasted on a terminal that shows nothing of it. */
export async function readSecret({ stdin, stderr, signal }: Context, question: string): Promise<string> {
  stderr.write(shown(question))
  stdin.setRawMode?.(true)
  let typed = ''
  try {
    // The next question is answered on the same terminal.
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const letter of String(chunk)) {
        if (letter === CTRL_C) throw new DOMException('Interrupted', 'AbortError')
        if (ENTER.has(letter)) return typed
        typed = ERASE.has(letter) ? typed.slice(0, -1) : typed + letter
      }
      signal.throwIfAborted()
    }
    return typed
  } finally {
    stdin.setRawMode?.(false)
    stderr.write('\n')
  }
}
