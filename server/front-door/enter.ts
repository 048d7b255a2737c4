/** The front door: version, key, workspace, then scope, in this order (contract-gaps 1). Workspace states and rate budgets join here. */
import type { FastifyRequest } from 'fastify'
import type { Sql } from '../database/open.ts'
import { findHolder, type Holder } from './keys.ts'
import { Refusal } from './refusal.ts'
import { refuseOtherVersion } from './version.ts'

/** Methods that change nothing. */
const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Throws a Refusal, or says who is asking. An address without a route is judged by its method. */
export async function enter(request: FastifyRequest, sql: Sql): Promise<Holder> {
  const { route } = request.routeOptions.config
  refuseOtherVersion(request.url, request.headers['x-ph-api'])
  const key = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!key) throw new Refusal(401, 'This needs a key: send it as "Authorization: Bearer <key>".')
  const holder = await findHolder(sql, key)
  if (!holder) throw new Refusal(401, 'This key is unknown or revoked, or its owner has left the workspace. Sign in again.')
  await refuseOtherWorkspace(request.workspaceSlug, holder, sql)
  const writes = route
    ? route.scope === 'write' || (route.scope === 'admin' && !reads.has(route.method))
    : !reads.has(request.method)
  if (writes && holder.actor.scope === 'read') throw new Refusal(403, 'This key is read-only. Use a key with write scope.')
  return holder
}

/** Without `/w/<slug>` the address means the first workspace. */
async function refuseOtherWorkspace(slug: string | undefined, holder: Holder, sql: Sql): Promise<void> {
  if (slug === holder.workspace.slug) return
  const addressed = await requireWorkspace(sql, slug)
  if (addressed.id !== holder.workspace.id)
    throw new Refusal(403, `This key belongs to another workspace than "${addressed.slug}". Use /w/${holder.workspace.slug}.`)
}

/** For addresses outside the API: pages and what else stands below `/w/<slug>`. */
export async function refuseUnknownWorkspace(sql: Sql, slug: string): Promise<void> {
  await requireWorkspace(sql, slug)
}

async function requireWorkspace(sql: Sql, slug: string | undefined): Promise<{ id: number; slug: string }> {
  const [addressed] = await (slug === undefined
    ? sql<{ id: number; slug: string }[]>`select id, slug from workspaces order by id limit 1`
    : sql<{ id: number; slug: string }[]>`select id, slug from workspaces where slug = ${slug}`)
  if (!addressed) throw new Refusal(404, `There is no library "${slug ?? ''}" on this server. Check the address.`)
  return addressed
}
