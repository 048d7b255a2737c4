/** Names that only one record may have: the schema keeps them apart, and who comes second hears who was first. */

import { ApiError } from '../../contract/errors.ts'
import type { Fragment, Sql } from '../database/sql.ts'

export interface UniqueName {
  /** The schema's name for the rule. */
  constraint: string
  /** What has the name, such as `tag`. */
  noun: string
  name: string
  /** Selects the `id` of the record that has the name. */
  holder: Fragment
}

/** Runs the one statement that gives a record its name, inside a transaction: CONFLICT with `details.existing_id` when it is taken. */
export async function writeNamed<T>(sql: Sql, unique: UniqueName, write: () => PromiseLike<T>): Promise<T> {
  await sql`savepoint naming`
  try {
    const written = await write()
    await sql`release savepoint naming`
    return written
  } catch (error) {
    if (!isViolation(error, unique.constraint)) throw error
    await sql`rollback to savepoint naming`
    const [existing] = await sql<{ id: number }[]>`${unique.holder}`
    throw new ApiError('CONFLICT', `There is a ${unique.noun} named "${unique.name}" already.`, {
      ...(existing && { existing_id: existing.id }),
    })
  }
}

const isViolation = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '23505' &&
  'constraint_name' in error &&
  error.constraint_name === constraint
