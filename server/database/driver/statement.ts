/** A statement as the driver (postgres.js 3.4.9) makes it of a tagged template: executed when it is first waited for, by its handler. */
import postgres from 'postgres'

export type DriverPool = postgres.Sql<{ bigint: number }>
export type TransactionSql = postgres.TransactionSql<{ bigint: number }>

export interface Statement extends Promise<unknown> {
  handler: (statement: Statement) => unknown
  reject: (error: unknown) => void
  /** Takes each row, with the answer so far. */
  forEachFn?: (row: unknown, answer: unknown[]) => void
  /** Rows as lists of values, or of bytes. */
  isRaw?: boolean | 'values'
  cursor: (rows?: number) => AsyncIterable<unknown[]>
  cancel: () => void
}

export type Done = { answer: unknown } | { error: unknown }

/** Names of tables and columns, and lists of them, go through the same function. */
export const isStatement = (made: unknown): made is Statement =>
  made instanceof Promise && 'handler' in made && typeof made.handler === 'function' && 'executed' in made

export async function settled<T>(work: PromiseLike<T>): Promise<{ answer: T } | { error: unknown }> {
  try {
    return { answer: await work }
  } catch (error) {
    return { error }
  }
}

/**
 * Rows go to the end of the answer that they belong to. Left to itself, the driver counts the rows of a connection, and goes on counting
 * behind those of a statement that failed (its issues 1119 and 1181): the next answer on that connection then begins with so many holes.
 */
export function keepRowsApart(statement: Statement): void {
  statement.forEachFn ??= (row, answer) => {
    answer.push(row)
  }
}

/**
 * Whether the database has answered the statement to its end, with rows or with an error: the driver has then read all that was sent for
 * it. Any other failure (a part of the answer that nobody could read, a limit, a lost connection) comes while something is on its way.
 * What resolves to something else than rows, as COPY does, is not over either; and a fatal error ends the session.
 */
export function isAnswered(done: Done): boolean {
  if ('answer' in done) return Array.isArray(done.answer)
  return done.error instanceof postgres.PostgresError && done.error.severity === 'ERROR'
}

/** What a session keeps after such commands: settings, a transaction, names. */
const lasting = /^(SET|RESET|DISCARD|BEGIN|START|LISTEN|UNLISTEN|PREPARE|DEALLOCATE|LOAD)\b/

export const isLasting = (done: Done): boolean => 'answer' in done && commandsOf(done.answer).some((one) => lasting.test(one))

/** Several statements at once have several answers. */
function commandsOf(answer: unknown): string[] {
  const { command } = answer as { command?: string | null }
  if (typeof command === 'string') return [command]
  return Array.isArray(answer) ? answer.flatMap((one) => (Array.isArray(one) ? commandsOf(one) : [])) : []
}

/** As an error of the driver: what was lost with its connection, and what only took too long (failure.ts tells them apart). */
export const unanswered = (answerMs: number, isBroken: boolean): Error =>
  Object.assign(new Error(`The database did not answer within ${answerMs / 1000} seconds.`), {
    code: isBroken ? 'ETIMEDOUT' : 'STATEMENT_LIMIT',
    query: '',
  })

export const broken = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNRESET', query: '' })

/** As PostgreSQL says it. */
export const cancelled = (): Error => Object.assign(new Error('The statement was cancelled.'), { code: '57014', query: '' })
