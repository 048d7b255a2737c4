/** What happens to the rest of an upload that was answered before it had arrived. */
import type { IncomingMessage } from 'node:http'

/** What a client may go on sending after it was answered. One that has not noticed by then is cut off. */
const unreadBytes = 64 * 1024 * 1024

/** Whether the request announces a body. It may not have come yet, and `complete` is not to be asked before the headers were worked on. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Requests whose rest goes by already. */
const known = new WeakSet<IncomingMessage>()

/**
 * Reads on and forgets, within limits. Closing instead would reset the connection, and the answer could be lost with it;
 * this way clients that watch for an early answer stop by themselves, and others keep their connection.
 */
export function drainBody(request: IncomingMessage): void {
  if (!hasBody(request) || request.complete || request.destroyed || known.has(request)) return
  known.add(request)
  let left = unreadBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
}
