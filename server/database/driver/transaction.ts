/** A transaction on a line: its statements go one after the other, and none after its end. */
import { fetchRows } from './cursor.ts'
import type { Line } from './line.ts'
import { cancelled, type Done, type DriverPool, isStatement, type Statement, settled, type TransactionSql } from './statement.ts'

type Work<T> = (sql: TransactionSql) => T | Promise<T>
type Failure = { error: unknown }

export interface On {
  line: Line
  /** Makes statements that are not executed yet. */
  makers: DriverPool
  /** Gives a statement its time. */
  limit: (statement: Statement, line: Line) => void
}

export class Transaction {
  readonly #on: On
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false
  /** The first failure of a statement: all is taken back because of it, also where someone has caught it. */
  #failure: Failure | undefined
  #names = 0

  constructor(on: On) {
    this.#on = on
  }

  /** `mode`: what BEGIN says besides. */
  async begin(mode: string): Promise<TransactionSql> {
    await this.#control(`begin ${mode}`.trim())
    return this.#statements()
  }

  /** Commits, or takes all back and throws what has failed. A connection that is lost by now has taken all back, or says nothing of it. */
  async end<T>(done: { answer: T } | Failure): Promise<T> {
    this.#isOver = true
    await this.#last
    const failure = this.#failureOf(done)
    const { line } = this.#on
    if (line.end) throw failure?.error ?? line.end
    if (!failure && 'answer' in done) {
      const command = await this.#control('commit')
      if (command === 'COMMIT') return done.answer
      throw new Error(`The database answered ${command} to COMMIT.`)
    }
    await this.#control('rollback')
    throw failure?.error
  }

  #control(command: string): Promise<string> {
    const { line, limit } = this.#on
    return line.control(command, (statement) => limit(statement, line))
  }

  #failureOf(done: Done): Failure | undefined {
    if (!('error' in done)) return this.#failure
    // "The transaction is aborted" says less than what aborted it.
    return (done.error as { code?: unknown } | undefined)?.code === '25P02' ? (this.#failure ?? done) : done
  }

  #statements(): TransactionSql {
    const { makers } = this.#on
    const own = {
      unsafe: (...parts: Parameters<DriverPool['unsafe']>) => this.#own(makers.unsafe(...parts)),
      savepoint: (...parts: unknown[]) => this.#savepoint(sql, parts.at(-1) as Work<unknown>),
    }
    const sql = new Proxy(makers, {
      apply: (target, self, parts) => this.#own(Reflect.apply(target as (...parts: unknown[]) => unknown, self, parts)),
      get: (target, key) => Reflect.get(Object.hasOwn(own, key) ? own : target, key),
      has: (target, key) => Object.hasOwn(own, key) || Reflect.has(target, key),
    }) as unknown as TransactionSql
    return sql
  }

  #own<T>(made: T): T {
    if (!isStatement(made)) return made
    made.handler = (statement) => this.#take(statement)
    made.cursor = (rows = 1) => fetchRows(this.#statements(), { statement: made, rows, name: this.#name() })
    made.cancel = () => made.reject(cancelled())
    return made
  }

  #take(statement: Statement): void {
    const { line, limit } = this.#on
    if (this.#isOver) {
      statement.reject(new Error('A statement came after the end of its transaction.'))
      return
    }
    limit(statement, line)
    this.#last = this.#last.then(async () => {
      const done = await line.ask(statement)
      if ('error' in done) this.#failure ??= done
    })
  }

  async #savepoint<T>(sql: TransactionSql, work: Work<T>): Promise<T> {
    const name = this.#name()
    const before = this.#failure
    await sql.unsafe(`savepoint ${name}`)
    const done = await settled((async () => work(sql))())
    await this.#last
    const failure = this.#failureOf(done)
    if (!failure && 'answer' in done) return done.answer
    await sql.unsafe(`rollback to ${name}`)
    this.#failure = before
    throw failure?.error
  }

  #name(): string {
    return `own_${this.#names++}`
  }
}
