/** A time limit on statements that also holds where the database, or a pooler before it, takes them and never answers. */

/** What a tagged template of the driver (postgres.js 3.4.9) makes: executed when it is first waited for, by its handler. */
interface DriverQuery extends Promise<unknown> {
  handler: (query: DriverQuery) => unknown
  reject: (error: unknown) => void
  executed: boolean
  /** Being answered. */
  active: boolean
  cursorFn?: unknown
}

/** Names of tables and columns, and lists of them, go through the same function. */
const isQuery = (made: unknown): made is DriverQuery =>
  made instanceof Promise && 'handler' in made && typeof made.handler === 'function' && 'executed' in made

/** `made` itself, which fails with what `late` makes when it is not answered in time. A part of another statement is never executed. */
export function limitStatement<T>(made: T, answerMs: number, late: (sinceMs: number) => Error): T {
  if (!isQuery(made)) return made
  const execute = made.handler
  made.handler = (query) => {
    const sinceMs = performance.now()
    const timer = setTimeout(() => {
      // The driver settles a cursor by other means: one that is still being answered has taken too long.
      if (!query.cursorFn || query.active) query.reject(late(sinceMs))
    }, answerMs)
    const settled = () => clearTimeout(timer)
    if (query.cursorFn) timer.unref()
    else query.then(settled, settled)
    return execute(query)
  }
  return made
}

/** As an error of the driver: what was lost with its connection, and what only took too long (failure.ts tells them apart). */
export const unanswered = (answerMs: number, isBroken: boolean): Error =>
  Object.assign(new Error(`The database did not answer within ${answerMs / 1000} seconds.`), {
    code: isBroken ? 'ETIMEDOUT' : 'STATEMENT_LIMIT',
    query: '',
  })
