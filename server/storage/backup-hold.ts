/** Backups under way hold the files of the library: a sweep removes none before they are over. A hold ends by itself when its backup has died. */
import type { Sql } from '../database/sql.ts'

/** Who takes a backup says within this time that it goes on. */
export const holdMs = 5 * 60_000

const untilAfter = (now: Date): string => new Date(now.getTime() + holdMs).toISOString()

/** Comes before the look at the database: what a sweep chose before that, no row names. */
export async function holdForBackup(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`delete from backup_holds where held_until <= ${now.toISOString()}`
  await sql`insert into backup_holds (id, held_until) values (${id}, ${untilAfter(now)})`
}

/**
 * Also where the hold ended meanwhile, for who has just written down what files there are: those were in use at that moment, and no sweep
 * takes a file that was in use within a day.
 */
export async function renewHold(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`
    insert into backup_holds (id, held_until) values (${id}, ${untilAfter(now)})
    on conflict (id) do update set held_until = excluded.held_until`
}

/** False where the hold ended meanwhile: files may be gone. */
export async function keepHold(sql: Sql, id: string, now: Date): Promise<boolean> {
  const kept = await sql`
    update backup_holds set held_until = ${untilAfter(now)} where id = ${id} and held_until > ${now.toISOString()} returning id`
  return kept.length > 0
}

export async function endHold(sql: Sql, id: string): Promise<void> {
  await sql`delete from backup_holds where id = ${id}`
}

/** A time that lies further ahead than it was ever set comes from a clock that was wrong. */
export async function isHeldForBackup(sql: Sql, now: Date): Promise<boolean> {
  const latest = new Date(now.getTime() + 2 * holdMs).toISOString()
  const held = await sql`select 1 from backup_holds where held_until > ${now.toISOString()} and held_until <= ${latest} limit 1`
  return held.length > 0
}
