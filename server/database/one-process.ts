/** Work that only one of the processes that share a PostgreSQL may do at a time: migrations and provisioning. */

import { ApiError } from '../../contract/errors.ts'
import { isLockTimeout } from './failure.ts'
import type { Sql } from './sql.ts'

/** Any numbers that nobody else uses. */
const lockNumbers = { migrating: 7_410_001, provisioning: 7_410_002 } as const

export interface Alone {
  what: keyof typeof lockNumbers
  /** How long another process may take. */
  waitMs: number
  /** The message when it takes longer. */
  message: string
}

/** Until the transaction ends. Throws UNAVAILABLE `busy`, after which the transaction can only be taken back. */
export async function beAlone(sql: Sql, { what, waitMs, message }: Alone): Promise<void> {
  const [before] = await sql<{ lock_timeout: string }[]>`
    select current_setting('lock_timeout') as lock_timeout, set_config('lock_timeout', ${String(waitMs)}, true)`
  try {
    await sql`select pg_advisory_xact_lock(${lockNumbers[what]})`
  } catch (error) {
    throw isLockTimeout(error) ? new ApiError('UNAVAILABLE', message, { reason: 'busy' }) : error
  }
  await sql`select set_config('lock_timeout', ${before?.lock_timeout ?? '0'}, true)`
}
