/** One line of the log for each request, when it has been answered: what was asked, by which key and program, from where, and how it ended. */
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { readClientName } from './front-door/client-name.ts'

export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { holder, headers } = request
    const line = {
      req: request,
      res: reply,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      workspace: holder?.workspace.slug,
      key: holder?.actor.keyId,
      client: readClientName(headers['x-ph-client']),
    }
    if (error) reply.log.error({ ...line, err: error }, 'the answer was cut off')
    else reply.log.info(line, 'answered')
  }
}
