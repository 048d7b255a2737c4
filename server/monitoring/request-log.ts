/**
 * One line of the log for each request, when it has been answered or its connection has closed before that: what was asked, by which key
 * and program, from where, and how it ended.
 */
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import { readClientName } from '../front-door/headers.ts'
import { answered, cutOff, type ProcessLog, requestFields } from './log.ts'

export class RequestLog extends LogController {
  readonly #log: ProcessLog
  /** Requests that have their line. */
  readonly #logged = new WeakSet<FastifyRequest>()
  /** What ended answers in their middle. */
  readonly #failures = new WeakMap<FastifyRequest, Error>()

  constructor(log: ProcessLog) {
    super()
    this.#log = log
  }

  /** Fastify reports only answers that were sent to the end. */
  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    // A closed socket has no address any more.
    const { ip } = request
    reply.raw.once('close', () => {
      if (!this.#logged.has(request)) this.#logClosed(request, { reply, ip })
    })
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    this.#logged.add(request)
    if (error)
      this.#log.error({ ...lineOf(request, reply), req: request, res: reply, err: error }, 'a request failed after its answer')
    else if (!isQuiet(request)) this.#log.line({ ...lineOf(request, reply), res: answered(reply) }, 'answered')
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#failures.set(request, error)
  }

  #logClosed(request: FastifyRequest, { reply, ip }: { reply: FastifyReply; ip: string }): void {
    const line = lineOf(request, reply)
    const asked = { method: request.method, url: request.url, ip }
    const err = this.#failures.get(request)
    const begun = reply.raw.headersSent ? { res: answered(reply) } : {}
    if (err) this.#log.error({ ...line, req: asked, res: reply, err }, cutOff)
    else if (!isQuiet(request))
      this.#log.line({ ...line, req: requestFields(asked), ...begun }, 'the connection closed before the end')
  }
}

const isQuiet = ({ routeOptions }: FastifyRequest): boolean => routeOptions.logLevel === 'warn'

const lineOf = (request: FastifyRequest, reply: FastifyReply) => ({
  reqId: request.id,
  req: requestFields(request),
  ms: Math.round(reply.elapsedTime * 10) / 10,
  workspace: request.caller?.workspace.slug,
  key: request.caller?.actor.keyId,
  client: readClientName(request.headers['x-ph-client']),
})

type Said = Parameters<FastifyBaseLogger['info']>

/** The logger of a request, made when it says something: most say nothing, and the line at their end carries their id anyway. */
class LateLogger {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined
  level: string

  constructor(level: string, make: () => FastifyBaseLogger) {
    this.level = level
    this.#make = make
  }

  fatal(...said: Said): void {
    this.#own().fatal(...said)
  }

  error(...said: Said): void {
    this.#own().error(...said)
  }

  warn(...said: Said): void {
    this.#own().warn(...said)
  }

  info(...said: Said): void {
    this.#own().info(...said)
  }

  debug(...said: Said): void {
    this.#own().debug(...said)
  }

  trace(...said: Said): void {
    this.#own().trace(...said)
  }

  silent(): void {}

  child(...of: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#own().child(...of)
  }

  #own(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }
}

export const logWhenNeeded: NonNullable<FastifyServerOptions['childLoggerFactory']> = (parent, bindings, options) =>
  new LateLogger(options.level ?? parent.level, () => parent.child(bindings, options))
