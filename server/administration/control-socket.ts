/**
 * The socket over which people at this machine speak to a running program: in a folder that only its owner may open, never on the network,
 * and for those only who can read the token beside it. What it answers is a table of routes; it knows none of them itself.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { maxBodyBytes } from '../../contract/route.ts'
import { ProcessFolder } from '../../system/process-folder.ts'
import { atShortPath } from '../../system/socket-path.ts'
import { Refusal } from '../front-door/refusal.ts'
import type { errorAnswers } from '../http/error-answers.ts'
import { mountRoutes, type RouteTable } from '../http/mount.ts'
import type { Logger } from '../monitoring/log.ts'
import type { Presence } from './control-client.ts'
import { type ControlNote, writeNote } from './control-note.ts'

/** A request that does not arrive is given up; what is asked for may take as long as it takes. */
const arrivalMs = 30_000
const mostConnections = 32
/** What is under way when the program ends may go on for so long. */
const closingMs = 2_000

export interface ControlSocket {
  close(): Promise<void>
}

export interface Controlled {
  /** Each process makes a folder for its socket below this one. */
  parent: string
  /** What it says of itself to who looks for it, beside its process and its machine. */
  about: Omit<Presence, 'pid' | 'host'>
  table: RouteTable
  answerError: ReturnType<typeof errorAnswers>
  words: {
    /** What comes of it where no socket can be had. */
    unreachable: string
    /** What reaches it. */
    reached: string
    /** Who asks something that it does not know is of another version. */
    unknown: string
  }
  log: Logger
}

/** Opens the socket. Where none can be had the program goes on without, and its log says so. */
export async function openControlSocket(controlled: Controlled): Promise<ControlSocket> {
  const parent = resolve(controlled.parent)
  try {
    return await openIn(new ProcessFolder(parent), controlled)
  } catch (error) {
    controlled.log.error({ err: error }, `${controlled.words.unreachable}: ${parent} takes no socket.`)
    return { close: async () => {} }
  }
}

async function openIn(folder: ProcessFolder, controlled: Controlled): Promise<ControlSocket> {
  const { about, words } = controlled
  const pipe = process.platform === 'win32' ? { name: pipeName(), folder: realpathSync(folder.dir) } : undefined
  const note: ControlNote = {
    pid: process.pid,
    host: hostname(),
    url: about.url,
    started_at: about.started_at,
    token: randomBytes(32).toString('base64url'),
    ...(pipe && { pipe }),
  }
  const app = await buildControlApp(controlled, note)
  const close = async () => {
    const impatience = setTimeout(() => app.server.closeAllConnections(), closingMs)
    await app.close()
    clearTimeout(impatience)
    folder.close()
  }
  try {
    const listenTextResolver = () => `${words.reached} reach it through ${folder.dir}`
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

async function buildControlApp(controlled: Controlled, { token, pid, host }: ControlNote): Promise<FastifyInstance> {
  const { about, table, answerError, words, log } = controlled
  const app = fastify({
    loggerInstance: log,
    // What was done stands in the audit log.
    logController: new LogController({ disableRequestLogging: true }),
    // Of addresses that are not known: a program of another version may send there what its own takes.
    bodyLimit: Math.max(limits.plainBodyBytes, ...table.routes.map(({ route }) => maxBodyBytes(route))),
    requestTimeout: arrivalMs,
    forceCloseConnections: 'idle',
  })
  app.server.maxConnections = mostConnections
  app.setErrorHandler(answerError)
  app.addHook('onRequest', async (request) => requireToken(request, token))
  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND', words.unknown)
  })
  // No route of a table: programs of all versions have to find each other by it.
  app.get('/', async (): Promise<Presence> => ({ pid, host, ...about }))
  await mountRoutes(app, table)
  return app
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function requireToken({ headers }: FastifyRequest, token: string): void {
  const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(digest(given), digest(token))) throw new Refusal(401, 'The token of the control socket is wrong.')
}
