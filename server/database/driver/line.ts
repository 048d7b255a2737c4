/**
 * One connection to the database, with a driver of its own, which does one thing at a time: a statement, or a transaction. The driver is
 * trusted with nothing that outlives it: a line that did not hear the end of an answer is ended, and never used again.
 */
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { broken, type Done, type DriverPool, isAnswered, isLasting, keepRowsApart, type Statement, settled } from './statement.ts'

/** What the driver is told besides where to connect. */
export interface DriverOptions {
  max: 1
  max_lifetime: null
  /** It throws where the driver is not to connect. */
  socket: (to: { host: string[]; port: number[]; path: string | false }) => Socket
}

export type MakeDriver = (options: DriverOptions) => DriverPool

/** Each keeps a connection, or is executed on one that nobody watches. */
const refused = new Set<string | symbol>(['reserve', 'listen', 'notify', 'subscribe', 'largeObject', 'file', 'end', 'close'])

/** A driver that makes statements, and has no connection to execute them on. */
export function unconnected(make: MakeDriver): DriverPool {
  const refusal = async (): Promise<never> => {
    throw new Error('A pool makes statements and transactions; nothing else of the driver is used.')
  }
  const socket = (): never => {
    throw new Error('A driver that only makes statements connects to nothing.')
  }
  return new Proxy(make({ max: 1, max_lifetime: null, socket }), {
    get: (target, key) => (refused.has(key) ? refusal : Reflect.get(target, key)),
  })
}

export class Line {
  readonly #driver: DriverPool
  readonly #execute: Statement['handler']
  readonly #tellEnd: (line: Line) => void
  #socket: Socket | undefined
  #hosts = 0
  #running: Statement | undefined
  #end: Error | undefined
  #isMarked = false

  constructor(make: MakeDriver, tellEnd: (line: Line) => void) {
    this.#driver = make({ max: 1, max_lifetime: null, socket: (to) => this.#dial(to) })
    this.#execute = (this.#driver.unsafe('') as unknown as Statement).handler
    this.#tellEnd = tellEnd
  }

  /** Why nothing more is executed here, where it has ended. */
  get end(): Error | undefined {
    // With TLS the driver removes what listens, so that nobody tells of the end.
    return this.#end ?? (this.#socket?.destroyed ? broken('The database closed the connection.') : undefined)
  }

  /** It would tell the next one what this one has left behind: settings, an open transaction. */
  get isMarked(): boolean {
    return this.#isMarked
  }

  /** What has come from the database so far, in bytes. */
  get heard(): number {
    return this.#socket?.bytesRead ?? 0
  }

  /** Executes it; done when the database has answered, or the line has ended. */
  async ask(statement: Statement): Promise<Done> {
    const done = await this.#run(statement)
    if (isLasting(done)) this.#isMarked = true
    return done
  }

  /** BEGIN, COMMIT, ROLLBACK, which `limit` limits. Gives the command that the database says it has executed. */
  async control(command: string, limit: (statement: Statement, line: Line) => void): Promise<string> {
    const statement = this.#driver.unsafe(command) as unknown as Statement
    limit(statement, this)
    const done = await this.#run(statement)
    if ('error' in done) throw done.error
    return (done.answer as { command: string }).command
  }

  /** At once: what runs here fails with the reason. */
  break(why: Error): void {
    if (this.#end) return
    this.#end = why
    this.#running?.reject(why)
    this.#socket?.destroy()
    void this.#driver.end({ timeout: 0 })
    this.#tellEnd(this)
  }

  /** Takes leave of the database. Only where nothing runs. */
  async close(): Promise<void> {
    if (this.#end) return
    this.#end = broken('The connections to the database were closed.')
    this.#tellEnd(this)
    await this.#driver.end({ timeout: 5 })
  }

  async #run(statement: Statement): Promise<Done> {
    if (this.end) statement.reject(this.end)
    else {
      keepRowsApart(statement)
      this.#running = statement
      this.#execute(statement)
    }
    const done = await settled(statement)
    this.#running = undefined
    if (!isAnswered(done))
      this.break('error' in done && done.error instanceof Error ? done.error : broken('An answer was no list of rows.'))
    return done
  }

  /** Once: the driver would connect again what it has lost, and go on with what is left of the broken answer. */
  #dial({ host, port, path }: Parameters<DriverOptions['socket']>[0]): Socket {
    if (this.#end || this.heard > 0) throw this.end ?? broken('The connection to the database was lost.')
    const at = this.#hosts++ % host.length
    const to = path ? { path } : { port: port[at] ?? 5432, host: host[at] }
    const socket = connect(to as NetConnectOpts)
    this.#socket = socket
    // The driver would wait without end for a server that takes a connection and closes it without a word, because it is going down.
    return socket.once('close', (hadError) => {
      const closed = broken('The database closed the connection.')
      if (hadError || socket.bytesRead === 0) socket.emit('error', closed)
      if (socket.bytesRead > 0) this.break(closed)
    })
  }
}
