/** A look at the database: does it answer, is its schema this program's, has PostgreSQL room for more connections, does its clock agree. */

import { type Finding, fault, fine, note, warning } from '../../../system/finding.ts'
import type { Clock } from '../../clock.ts'
import { explainDatabase } from '../../database/failure.ts'
import { schemaState } from '../../database/migrate.ts'
import { type Database, poolConnections } from '../../database/open.ts'
import type { Sql } from '../../database/sql.ts'
import { clockFinding } from './clock.ts'

/** Oldest version that is tested (design 3). */
const oldestPostgres = 15

export async function lookAtDatabase(database: Database, clock: Clock): Promise<Finding[]> {
  const { sql, kind, location } = database
  try {
    await sql`select 1`
  } catch (error) {
    const why = explainDatabase(error, location)
    return [fault('database', why instanceof Error ? why.message : String(why), databaseNext(kind))]
  }
  const found = [
    fine('database', `${kind === 'embedded' ? `embedded, in ${location}` : location}: it answers.`),
    await lookAtSchema(sql),
  ]
  if (kind === 'embedded') return found
  return [...found, await lookAtVersion(sql), await lookAtConnections(sql), await lookAtClock(sql, clock)]
}

const databaseNext = (kind: Database['kind']): string =>
  kind === 'embedded'
    ? 'See the log of the server.'
    : 'See whether PostgreSQL runs, and whether the address in PH_DATABASE_URL is right.'

async function lookAtSchema(sql: Sql): Promise<Finding> {
  const { known, waiting, newer } = await schemaState(sql)
  if (newer !== undefined)
    return fault('schema', `It was made by a newer Prop House (migration ${newer}).`, 'Update this program.')
  if (waiting.length === 0) return fine('schema', `All ${known} migrations are applied.`)
  return note('schema', `${waiting.length} of ${known} migrations wait; the next start of the server applies them.`)
}

async function lookAtVersion(sql: Sql): Promise<Finding> {
  const [row] = await sql<{ server_version: string }[]>`show server_version`
  const version = row?.server_version ?? 'unknown'
  return Number.parseInt(version, 10) >= oldestPostgres
    ? fine('postgresql', `Version ${version}.`)
    : fault('postgresql', `Version ${version} is too old.`, `Move the database to PostgreSQL ${oldestPostgres} or newer.`)
}

async function lookAtConnections(sql: Sql): Promise<Finding> {
  const [row] = await sql<{ most: number; kept: number; used: number }[]>`
    select current_setting('max_connections')::int as most,
           current_setting('superuser_reserved_connections')::int as kept,
           (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`
  const { most, kept, used } = row ?? { most: 0, kept: 0, used: 0 }
  const left = most - kept - used
  const said = `${used} of ${most - kept} connections are in use; a server takes up to ${poolConnections}.`
  return left >= poolConnections
    ? fine('connections', said)
    : warning('connections', said, 'Raise max_connections of PostgreSQL, or start fewer servers on it.')
}

/** The literal is the database's own time; a statement that is kept prepared would give the same one for ever. */
async function lookAtClock(sql: Sql, clock: Clock): Promise<Finding> {
  const before = clock.now().getTime()
  const [row] = await sql<{ at: number }[]>`select extract(epoch from 'now'::timestamptz)::float8 * 1000 as at`.simple()
  const middle = (before + clock.now().getTime()) / 2
  return clockFinding('clock', { apartMs: Math.round(Number(row?.at) - middle), other: 'the clock of PostgreSQL' })
}
