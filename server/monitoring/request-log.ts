/** One line of the log for each request, when it has been answered: what was asked, by which key and program, from where, and how it ended. */
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import { readClientName } from '../front-door/headers.ts'
import { answered, type ProcessLog, requestFields } from './log.ts'

export class RequestLog extends LogController {
  readonly #log: ProcessLog

  constructor(log: ProcessLog) {
    super()
    this.#log = log
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { caller, headers, routeOptions } = request
    const isQuiet = routeOptions.logLevel === 'warn'
    if (isQuiet && !error) return
    const line = {
      reqId: request.id,
      req: requestFields(request),
      res: answered(reply),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      workspace: caller?.workspace.slug,
      key: caller?.actor.keyId,
      client: readClientName(headers['x-ph-client']),
    }
    if (error) this.#log.error({ ...line, req: request, res: reply, err: error }, 'the answer was cut off')
    else this.#log.line(line, 'answered')
  }
}

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
