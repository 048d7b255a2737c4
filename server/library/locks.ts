/** Locks: check-outs of lineages (spec 3 and 4.4; contract-gaps 9). */

import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Asker, locks as contract } from '../../contract/locks.ts'
import { lockedError, lockedErrorOfMany } from '../check-out/locked.ts'
import { nameLineages } from '../check-out/named-lineages.ts'
import { readRadar } from '../check-out/radar.ts'
import { releaseLocks } from '../check-out/release.ts'
import { takeLocks } from '../check-out/take.ts'
import type { Fragment } from '../database/sql.ts'
import type { Handlers } from '../handler.ts'
import type { Actor } from '../principal.ts'
import { isActive, selectLocks } from '../rows/lock.ts'

export const locks: Handlers<typeof contract> = {
  async create(request) {
    const { lineage_id, note, ttl_hours: ttlHours } = request.input
    const [taken] = await takeLocks(request, { lineageIds: [lineage_id], note, ttlHours }, async (scope, [lock]) =>
      lock ? lockedError(scope, lock) : new ApiError('LOCKED'),
    )
    if (!taken) throw new Error('the lock was not recorded')
    return taken
  },

  async batch(request) {
    const { lineage_ids: lineageIds, note, ttl_hours: ttlHours, steal } = request.input
    return { locks: await takeLocks(request, { lineageIds, note, ttlHours, steal }, lockedErrorOfMany) }
  },

  async release(request) {
    return { released: await releaseLocks(request, request.input.lock_ids) }
  },

  async radar({ sql, workspace, now, actor, input }) {
    return { lineages: await readRadar({ sql, workspace, now }, input.lineage_ids), you: askerOf(actor) }
  },

  async list({ sql, workspace, now, actor, input }) {
    const { lineage_id, holder, mine, active, limit = limits.page.default, cursor } = input
    const tests: Fragment[] = []
    if (lineage_id !== undefined) tests.push(sql`k.lineage_id = ${lineage_id}`)
    if (holder !== undefined) tests.push(sql`k.holder_id = ${holder}`)
    if (mine) tests.push(sql`k.holder_id = ${actor.id}`)
    if (active !== undefined) tests.push(active ? isActive(sql, now) : sql`not ${isActive(sql, now)}`)
    if (cursor !== undefined) tests.push(sql`k.id < ${cursor}`)
    const where = tests.reduce((all, test) => sql`${all} and ${test}`, sql``)
    const found = await selectLocks({ sql, workspace, now }, sql`${where} order by k.id desc limit ${limit + 1}`)
    const page = found.slice(0, limit)
    const names = await nameLineages({ sql, workspace }, new Set(page.map((lock) => lock.lineage_id)))
    const lineages = [...names].map(([id, named]) => ({ lineage_id: id, ...named }))
    return { locks: page, lineages, you: askerOf(actor), next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null }
  },

  async remove(request) {
    await releaseLocks(request, [request.input.lock_id])
  },
}

const askerOf = ({ id, role, scope }: Actor): Asker => ({ id, role, scope })
