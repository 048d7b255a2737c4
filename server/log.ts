/** The server's log: JSON lines with a request id, to stderr unless told otherwise. Keys, signatures and bodies never appear in it. */
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { LogStream } from './log-stream.ts'

const stderrFd = 2

/** Where lines go; tests collect them. */
export type LogTo = { write(line: string): void } | 'stderr' | 'nowhere'

export type Logger = FastifyBaseLogger

/** As the process has one: before it ends, what was said last is on its way. */
export type ProcessLog = Logger & { flush(done: () => void): void }

export function openLog(to: LogTo): ProcessLog {
  const level = to === 'nowhere' ? 'silent' : 'info'
  // Lines are written beside the work, in order; waiting for each costs an upload a tenth of its time.
  const stream = typeof to === 'object' ? to : new LogStream(stderrFd)
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, stream)
}

/** What is logged of a request: no headers, and of the address no query, which may hold a signature or a search. */
const serializers = {
  req: (request: { method: string; url: string; ip?: string }) => ({
    method: request.method,
    path: request.url.split('?')[0],
    from: request.ip,
  }),
  res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
}
