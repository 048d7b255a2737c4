/**
 * The socket over which administrators speak to a running server: in a folder that only its owner may open, never on the network,
 * and for those only who can read the token beside it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { ProcessFolder } from '../../system/process-folder.ts'
import { atShortPath } from '../../system/socket-path.ts'
import { Refusal } from '../front-door/refusal.ts'
import { errorAnswers } from '../http/error-answers.ts'
import type { Logger } from '../monitoring/log.ts'
import { longestFileBytes } from '../provision/file.ts'
import { type ActName, acts } from './acts.ts'
import type { Presence } from './control-client.ts'
import { type ControlNote, controlFolder, databaseMark, writeNote } from './control-note.ts'
import { type Desk, perform } from './desk.ts'

/** A request that does not arrive is given up; what is asked for may take as long as it takes. */
const arrivalMs = 30_000
const mostConnections = 32
/** What is under way when the server ends may go on for so long. */
const closingMs = 2_000

export interface ControlSocket {
  close(): Promise<void>
}

export interface Controlled {
  desk: Desk
  /** Where the server itself listens. */
  url: string
  log: Logger
}

/** Opens the socket. Where none can be had the server goes on without, and its log says so. */
export async function openControlSocket(controlled: Controlled): Promise<ControlSocket> {
  const parent = resolve(controlFolder(controlled.desk.settings.dataDir))
  try {
    return await openIn(new ProcessFolder(parent), controlled)
  } catch (error) {
    controlled.log.error({ err: error }, `Administrative commands cannot reach this server: ${parent} takes no socket.`)
    return { close: async () => {} }
  }
}

async function openIn(folder: ProcessFolder, controlled: Controlled): Promise<ControlSocket> {
  const { desk, url } = controlled
  const pipe = process.platform === 'win32' ? { name: pipeName(), folder: realpathSync(folder.dir) } : undefined
  const note: ControlNote = {
    pid: process.pid,
    host: hostname(),
    url,
    started_at: desk.clock.now().toISOString(),
    token: randomBytes(32).toString('base64url'),
    ...(pipe && { pipe }),
  }
  const app = buildControlApp(controlled, note)
  const close = async () => {
    const impatience = setTimeout(() => app.server.closeAllConnections(), closingMs)
    await app.close()
    clearTimeout(impatience)
    folder.close()
  }
  try {
    const listenTextResolver = () => `ph server commands reach it through ${folder.dir}`
    const listen = (path: string) => app.listen({ path, listenTextResolver })
    await (pipe ? listen(pipe.name) : atShortPath(folder.dir, listen))
    writeNote(folder.dir, note)
    return { close }
  } catch (error) {
    await close()
    throw error
  }
}

const pipeName = (): string => `\\\\.\\pipe\\ph-control-${randomBytes(16).toString('hex')}`

function buildControlApp({ desk, log, url }: Controlled, note: ControlNote): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    // What was done is told by the deeds.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: longestFileBytes + 64 * 1024,
    requestTimeout: arrivalMs,
    forceCloseConnections: 'idle',
  })
  app.server.maxConnections = mostConnections
  app.setErrorHandler(errorAnswers(desk))
  app.addHook('onRequest', async (request) => requireToken(request, note.token))
  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND', 'The running server is of another version than this command. Restart it, then try again.')
  })
  app.get('/', async (): Promise<Presence> => {
    const { pid, host, started_at } = note
    return { pid, host, url, started_at, database_mark: databaseMark(desk.settings) }
  })
  for (const act of Object.keys(acts) as ActName[])
    app.post<{ Body: { by?: unknown; input?: unknown } | undefined }>(`/acts/${act}`, ({ body }) =>
      perform(desk, { act, input: body?.input, by: nameOf(body?.by) }),
    )
  return app
}

const nameOf = (by: unknown): string => (typeof by === 'string' ? by.slice(0, 200) : 'someone')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function requireToken({ headers }: FastifyRequest, token: string): void {
  const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(digest(given), digest(token))) throw new Refusal(401, 'The token of the control socket is wrong.')
}
