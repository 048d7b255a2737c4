/** Locks: check-outs of lineages (spec 3 and 4.4; contract-gaps 9). */

import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { locks as contract } from '../../contract/locks.ts'
import { lockedError, lockedErrorOfMany } from '../check-out/locked.ts'
import { readRadar } from '../check-out/radar.ts'
import { releaseLocks } from '../check-out/release.ts'
import { takeLocks } from '../check-out/take.ts'
import type { Fragment } from '../database/sql.ts'
import type { Handlers } from '../handler.ts'
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

  async radar({ sql, workspace, now, input }) {
    return { lineages: await readRadar({ sql, workspace, now }, input.lineage_ids) }
  },

  async list({ sql, workspace, now, input }) {
    const { lineage_id, holder, active, limit = limits.page.default, cursor } = input
    const tests: Fragment[] = []
    if (lineage_id !== undefined) tests.push(sql`k.lineage_id = ${lineage_id}`)
    if (holder !== undefined) tests.push(sql`k.holder_id = ${holder}`)
    if (active !== undefined) tests.push(active ? isActive(sql, now) : sql`not ${isActive(sql, now)}`)
    if (cursor !== undefined) tests.push(sql`k.id < ${cursor}`)
    const where = tests.reduce((all, test) => sql`${all} and ${test}`, sql``)
    const found = await selectLocks({ sql, workspace, now }, sql`${where} order by k.id desc limit ${limit + 1}`)
    const page = found.slice(0, limit)
    return { locks: page, next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null }
  },

  async remove(request) {
    await releaseLocks(request, [request.input.lock_id])
  },
}
