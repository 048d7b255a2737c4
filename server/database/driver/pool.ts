/** The connections to the database: so many lines at most, which come and go with what is asked. They may be lost at any moment, or fall silent. */
import { fetchRows } from './cursor.ts'
import { Line, type MakeDriver, unconnected } from './line.ts'
import {
  broken,
  cancelled,
  type DriverPool,
  isStatement,
  type Statement,
  settled,
  type TransactionSql,
  unanswered,
} from './statement.ts'
import { type On, Transaction } from './transaction.ts'

interface PoolLimits {
  connections: number
  /** What is not answered by then has failed. */
  answerMs: number
}

interface Waiter {
  take: (line: Line) => void
  fail: (error: Error) => void
}

/** How long what is under way may go on when the pool is closed. */
const closingMs = 5_000

export class ConnectionPool {
  /** Makes statements of their own: each takes a line when it is first waited for. */
  readonly sql: DriverPool
  readonly #limits: PoolLimits
  readonly #make: MakeDriver
  readonly #makers: DriverPool
  readonly #lines = new Set<Line>()
  /** The one that was used last comes last, and is used first. */
  readonly #free: Line[] = []
  readonly #waiting = new Set<Waiter>()
  readonly #emptied = Promise.withResolvers<void>()
  /** When one was last found to be silent, by `performance.now()`. */
  #silentMs = -1
  #isClosed = false

  constructor(limits: PoolLimits, make: MakeDriver) {
    this.#limits = limits
    this.#make = make
    this.#makers = unconnected(make)
    const unsafe = (...parts: Parameters<DriverPool['unsafe']>) => this.#own(this.#makers.unsafe(...parts))
    this.sql = new Proxy(unconnected(make), {
      apply: (target, self, parts) => this.#own(Reflect.apply(target as (...parts: unknown[]) => unknown, self, parts)),
      get: (target, key) => (key === 'unsafe' ? unsafe : Reflect.get(target, key)),
    })
    Object.assign(this.sql, { begin: this.begin })
  }

  /** A transaction around `work`, which begins with what `mode` says. */
  readonly begin = async <T>(
    ...parts: [(sql: TransactionSql) => T | Promise<T>] | [string, (sql: TransactionSql) => T | Promise<T>]
  ): Promise<T> => {
    const [mode, work] = parts.length === 2 ? parts : ['', parts[0]]
    const line = await this.#take(performance.now())
    try {
      const transaction = new Transaction(this.#on(line))
      const sql = await transaction.begin(mode)
      return await transaction.end(await settled((async () => work(sql))()))
    } finally {
      this.#giveBack(line)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { fail } of this.#waiting) fail(closed())
    await Promise.all(this.#free.splice(0).map((line) => line.close()))
    if (this.#lines.size === 0) return
    const timer = setTimeout(() => {
      for (const line of [...this.#lines]) line.break(closed())
    }, closingMs)
    await this.#emptied.promise
    clearTimeout(timer)
  }

  #own<T>(made: T): T {
    if (!isStatement(made)) return made
    made.handler = (statement) => void this.#ask(statement)
    made.cursor = (rows = 1) => this.#cursor(made, rows)
    made.cancel = () => made.reject(cancelled())
    return made
  }

  async #ask(statement: Statement): Promise<void> {
    const sinceMs = performance.now()
    let isOver = false
    const over = () => (isOver = true)
    statement.then(over, over)
    try {
      const line = await this.#take(sinceMs)
      if (!isOver) {
        this.#limit(statement, { line, sinceMs })
        await line.ask(statement)
      }
      this.#giveBack(line)
    } catch (error) {
      statement.reject(error)
    }
  }

  /** In a transaction of its own. Who reads slowly may be waited for as long as a statement may take. */
  async *#cursor(statement: Statement, rows: number): AsyncGenerator<unknown[]> {
    const line = await this.#take(performance.now())
    const transaction = new Transaction(this.#on(line))
    let done: Parameters<typeof transaction.end>[0] = { error: new Error('A cursor was left.') }
    try {
      const sql = await transaction.begin('read only')
      await sql`select set_config('idle_in_transaction_session_timeout', ${String(this.#limits.answerMs)}, true)`
      yield* fetchRows(sql, { statement, rows, name: 'own' })
      done = { answer: undefined }
    } catch (error) {
      done = { error }
      throw error
    } finally {
      await settled(transaction.end(done))
      this.#giveBack(line)
    }
  }

  #on(line: Line): On {
    return { line, makers: this.#makers, limit: (statement) => this.#limit(statement, { line, sinceMs: performance.now() }) }
  }

  #limit(statement: Statement, { line, sinceMs }: { line: Line; sinceMs: number }): void {
    const { answerMs } = this.#limits
    const { heard } = line
    const late = () => {
      const isSilent = line.heard === heard
      if (isSilent) this.#breakFree()
      statement.reject(unanswered(answerMs, isSilent))
    }
    const timer = setTimeout(late, answerMs - (performance.now() - sinceMs))
    const settle = () => clearTimeout(timer)
    statement.then(settle, settle)
  }

  /** A line was silent for too long: those that nobody uses may be dead as well. */
  #breakFree(): void {
    this.#silentMs = performance.now()
    for (const line of this.#free.splice(0)) line.break(broken('The database did not answer in time.'))
  }

  async #take(sinceMs: number): Promise<Line> {
    if (this.#isClosed) throw closed()
    for (let line = this.#free.pop(); line; line = this.#free.pop()) {
      if (!line.end) return line
      line.break(line.end)
    }
    if (this.#lines.size < this.#limits.connections) return this.#open()
    return this.#wait(sinceMs)
  }

  #wait(sinceMs: number): Promise<Line> {
    const { answerMs } = this.#limits
    return new Promise((resolve, reject) => {
      const settle =
        <T>(done: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          this.#waiting.delete(waiter)
          done(value)
        }
      const waiter = { take: settle(resolve), fail: settle(reject) }
      const timer = setTimeout(() => waiter.fail(unanswered(answerMs, this.#silentMs >= sinceMs)), answerMs)
      this.#waiting.add(waiter)
    })
  }

  #open(): Line {
    const line = new Line(this.#make, (ended) => this.#ended(ended))
    this.#lines.add(line)
    return line
  }

  #giveBack(line: Line): void {
    const [next] = this.#waiting
    if (line.end || line.isMarked || this.#isClosed) line.break(line.end ?? closed())
    else if (next) next.take(line)
    else this.#free.push(line)
  }

  #ended(line: Line): void {
    this.#lines.delete(line)
    const at = this.#free.indexOf(line)
    if (at >= 0) this.#free.splice(at, 1)
    const [next] = this.#waiting
    if (this.#isClosed) {
      if (this.#lines.size === 0) this.#emptied.resolve()
    } else if (next) next.take(this.#open())
  }
}

/** As the driver says it. */
const closed = (): Error =>
  Object.assign(new Error('The connections to the database were closed.'), { code: 'CONNECTION_ENDED', query: '' })
