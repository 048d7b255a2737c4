/** The server's log: JSON lines with a request id, to stderr unless told otherwise; plain lines where that is a terminal. Keys, signatures and bodies never appear in it. */
import { isatty } from 'node:tty'
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { logWords } from '../../system/log-words.ts'
import { systemClock } from '../clock.ts'
import { LogStream } from './log-stream.ts'

const stderrFd = 2

/** Where lines go; tests collect them. */
export type LogTo = { write(line: string): void } | 'stderr' | 'none'

export type Logger = FastifyBaseLogger

/** The log of a process. */
export interface ProcessLog extends Logger {
  /** As `info` does, in a third of the time and without serializers: for the line that every request has. */
  line(fields: Record<string, unknown>, message: string): void
  /** Before the process ends, so that what was said last is on its way. */
  flush(done: () => void): void
}

export function openLog(to: LogTo): ProcessLog {
  const level = to === 'none' ? 'silent' : 'info'
  // Lines are written beside the work, in order; waiting for each costs an upload a tenth of its time.
  const stream = typeof to === 'object' ? to : openStderr()
  const log = pino({ level, base: null, timestamp, serializers: { req: requestFields, res: answered } }, stream)
  const line: ProcessLog['line'] = (fields, message) => {
    if (level === 'silent') return
    stream.write(`{"level":${pino.levels.values.info}${timestamp()},${JSON.stringify({ ...fields, msg: message }).slice(1)}\n`)
  }
  return Object.assign(log, { line })
}

function openStderr(): LogStream | TerminalLog {
  const stream = new LogStream(stderrFd)
  return isatty(stderrFd) ? new TerminalLog(stream) : stream
}

class TerminalLog {
  readonly #stream: LogStream

  constructor(stream: LogStream) {
    this.#stream = stream
  }

  write(line: string): void {
    this.#stream.write(logWords(line))
  }

  flush(done: () => void): void {
    this.#stream.flush(done)
  }
}

let stamped = { ms: 0, text: '' }

/** ISO 8601, made once for all lines of a millisecond. */
function timestamp(): string {
  const now = systemClock.now()
  const ms = now.getTime()
  if (ms !== stamped.ms) stamped = { ms, text: `,"time":"${now.toISOString()}"` }
  return stamped.text
}

/** What is logged of a request: no headers, and of the address no query, which may hold a signature or a search. */
export const requestFields = (request: { method: string; url: string; ip?: string }) => ({
  method: request.method,
  path: request.url.split('?')[0],
  from: request.ip,
})
export const answered = (reply: { statusCode: number }) => ({ status: reply.statusCode })

/** Logged when an answer fails after its headers were sent: the client cannot be told any more. */
export const cutOff = 'the answer was cut off'
