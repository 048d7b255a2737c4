/**
 * The socket over which people at this machine speak to a running program: in a folder that only its owner may open, never on the network,
 * and for those only who can read the token beside it. What it answers is a table of routes; it knows none of them itself.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, realpathSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { atShortPath, removeSocket } from '../system/socket-path.ts'
import { LocalConnections } from './local-connections.ts'
import { type LocalNote, writeNote } from './local-note.ts'
import { mountRoutes, type RouteTable } from './mount.ts'
import { Refusal } from './refusal.ts'

/** A request that does not arrive is given up; what is asked for may take as long as it takes. */
const arrivalMs = 30_000
/** What is under way when the program ends may go on for so long. */
const closingMs = 2_000

export interface LocalSocket {
  close(): Promise<void>
}

/** What it says of itself to who looks for it, beside its process and its machine. */
export interface About {
  url: string
  started_at: string
}

export interface LocalApi {
  about: About & Record<string, unknown>
  table: RouteTable
  /** Refuses who may not ask at all, token or not. */
  guard?(request: FastifyRequest): void
  answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  words: {
    /** How it is called in messages: `control`, `agent`. */
    socket: string
    /** What reaches it. */
    reached: string
    /** Who asks something that it does not know is of another version. */
    unknown: string
  }
  log: FastifyBaseLogger
}

export const newToken = (): string => randomBytes(32).toString('base64url')

/** Opens the socket in a folder that this process has for itself, and writes the note beside it. Throws what listening throws. */
export async function openLocalSocket(dir: string, token: string, api: LocalApi): Promise<LocalSocket> {
  const { about, words } = api
  const pipe = process.platform === 'win32' ? { name: pipeName(), folder: realpathSync(dir) } : undefined
  const note: LocalNote = {
    pid: process.pid,
    host: hostname(),
    url: about.url,
    started_at: about.started_at,
    token,
    ...(pipe && { pipe }),
  }
  const app = await buildLocalApp(api, token)
  const close = () => closeSoon(app)
  try {
    removeSocket(dir)
    const listenTextResolver = () => `${words.reached} reach it through ${dir}`
    const listen = (path: string) => {
      // Of a program that was killed: whose folder it is decides its lock.
      if (!pipe) rmSync(path, { force: true })
      return app.listen({ path, listenTextResolver })
    }
    await (pipe
      ? listen(pipe.name)
      : atShortPath(dir, async (path) => {
          await listen(path)
          chmodSync(path, 0o600)
        }))
    writeNote(dir, note)
    return { close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Ends an application; connections that are under way have a moment. */
export async function closeSoon(app: FastifyInstance): Promise<void> {
  const impatience = setTimeout(() => app.server.closeAllConnections(), closingMs)
  await app.close()
  clearTimeout(impatience)
}

const pipeName = (): string => `\\\\.\\pipe\\ph-${randomBytes(16).toString('hex')}`

/** The application behind a local socket, or behind a port of the loopback interface. */
export async function buildLocalApp(api: LocalApi, token: string): Promise<FastifyInstance> {
  const { about, table, answerError, words, log, guard } = api
  const app = fastify({
    loggerInstance: log,
    // What was done stands in the log of what was done.
    logController: new LogController({ disableRequestLogging: true }),
    // Of addresses that are not known: a program of another version may send there what its own takes.
    bodyLimit: Math.max(limits.plainBodyBytes, ...table.routes.map(({ route }) => maxBodyBytes(route))),
    requestTimeout: arrivalMs,
    forceCloseConnections: 'idle',
  })
  const connections = new LocalConnections(app.server)
  app.setErrorHandler(answerError)
  app.addHook('onRequest', async (request) => {
    guard?.(request)
    requireToken(request, token, words.socket)
    connections.authenticate(request.raw.socket)
  })
  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND', words.unknown)
  })
  // No route of a table: programs of all versions have to find each other by it.
  app.get('/', async () => ({ pid: process.pid, host: hostname(), ...about }))
  await mountRoutes(app, table)
  return app
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function requireToken({ headers }: FastifyRequest, token: string, socket: string): void {
  const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(digest(given), digest(token))) throw new Refusal(401, `The token of the ${socket} socket is wrong.`)
}
