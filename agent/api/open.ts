/** The agent's API: on a socket in its folder, and on a port of the loopback interface for editors, whose languages speak HTTP over nothing else. */
import type { FastifyRequest } from 'fastify'
import { type AgentContract, agentRoutes } from '../../contract/agent.ts'
import { buildLocalApp, closeSoon, type LocalApi, newToken, openLocalSocket } from '../../serving/local-socket.ts'
import { type RouteTable, withHandlers } from '../../serving/mount.ts'
import { Refusal } from '../../serving/refusal.ts'
import type { Agent } from '../agent.ts'
import { agent } from './agent-routes.ts'
import { agentEditors } from './editor-routes.ts'
import { answerError } from './errors.ts'
import { agentFiles } from './file-routes.ts'
import type { AgentHandlers } from './handler.ts'
import { agentConflicts, agentImports, agentSenders } from './import-routes.ts'
import { agentMirror } from './mirror-routes.ts'
import { agentProjects } from './project-routes.ts'

const handlers: { [N in keyof AgentContract]: AgentHandlers<N> } = {
  agent,
  agentProjects,
  agentFiles,
  agentEditors,
  agentConflicts,
  agentImports,
  agentSenders,
  agentMirror,
}

const tableOf = (own: Agent): RouteTable => ({
  routes: withHandlers(agentRoutes, handlers),
  contextOf: () => ({ agent: own }),
})

const words = {
  socket: 'agent’s',
  reached: 'ph agent commands',
  unknown: 'The running agent is of another version than this program. Restart it with `ph agent restart`, then try again.',
}

/** Both take the same token, which only the person themselves can read. */
export async function openAgentApi(own: Agent): Promise<{ url: string; close(): Promise<void> }> {
  const token = newToken()
  const about = { url: '', started_at: own.startedAt.toISOString(), server: own.wire.url, version: own.version }
  const api: LocalApi = { about, table: tableOf(own), answerError, words, log: own.log }
  const loopback = await buildLocalApp({ ...api, guard: refusePages }, token)
  try {
    about.url = await loopback.listen({
      host: '127.0.0.1',
      port: 0,
      listenTextResolver: (address) => `editors reach it at ${address}`,
    })
    const socket = await openLocalSocket(own.dir, token, api)
    const close = async () => {
      await Promise.all([socket.close(), closeSoon(loopback)])
    }
    return { url: about.url, close }
  } catch (error) {
    await closeSoon(loopback)
    throw error
  }
}

/**
 * Every program of the machine reaches the port, pages in a browser too: those get nothing, token or not. A page that made its own name
 * lead here names itself in `Host`; one of another origin, in `Origin`.
 */
function refusePages({ headers: { host, origin }, socket: { localPort: port } }: FastifyRequest): void {
  if (origin !== undefined) throw new Refusal(403, 'The agent answers no web pages.')
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) throw new Refusal(403, 'The agent answers to 127.0.0.1 only.')
}
