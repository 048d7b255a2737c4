/** What monitors ask: is the process up, can it answer, and what does it speak. */

import type { FastifyInstance } from 'fastify'
import { openApi } from '../../contract/docs.ts'
import type { Services } from '../services.ts'

export function mountHealth(app: FastifyInstance, { database, storage, embedder }: Services): void {
  app.get('/healthz', async () => ({ ok: true }))
  app.get('/readyz', async (request, reply) => {
    const [databaseFailure, storageFailure] = await Promise.all([failureOf(ask(database)), failureOf(storage.check())])
    if (databaseFailure ?? storageFailure) {
      request.log.warn({ databaseFailure, storageFailure }, 'not ready')
      reply.code(503)
    }
    // Words find entries all the same: the server is ready without it.
    return { database: databaseFailure ? 'fails' : 'ok', storage: storageFailure ? 'fails' : 'ok', looks: embedder.state }
  })
  app.get('/openapi.json', async () => openApi())
}

/** By a connection of the front door: it has to answer at once, whatever others ask of the database. */
async function ask({ frontDoorSql, requireRoom }: Services['database']): Promise<void> {
  await frontDoorSql`select 1`
  requireRoom()
}

async function failureOf(attempt: PromiseLike<unknown>): Promise<string | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
