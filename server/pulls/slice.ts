/** Slices of an order: one list of planned files, brought by several jobs of which each holds a part (contract-gaps 9). Pure. */
import { createHash } from 'node:crypto'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { PullJob, PullOrder } from '../../contract/pull-jobs.ts'
import type { PullFile } from '../rows/pull-job.ts'

/** Names a list of files: another list, or another order of it, has another key. */
export const keyOf = (files: readonly PullFile[]): string =>
  createHash('sha256')
    .update(files.map(({ object_id }) => object_id).join(' '))
    .digest('base64url')

/** The files of the list that a job is to bring. CONFLICT where the list is not the one that was planned. */
export function sliceOf(files: readonly PullFile[], { slice }: Pick<PullOrder, 'slice'>): PullFile[] {
  if (!slice) return [...files]
  if (slice.key && slice.key !== keyOf(files))
    throw new ApiError('CONFLICT', 'The library has changed since this order was planned. Plan it again, then order its slices.')
  const sliced = files.slice(slice.from, slice.from + slice.count)
  if (sliced.length > 0) return sliced
  throw validationError([{ path: 'slice.from', message: `lies behind the last of ${files.length} files` }])
}

/** Which part of the whole list a job is: who gets the jobs of one order can tell that they belong together. */
export const sliceNamed = (
  files: readonly PullFile[],
  { slice }: Pick<PullOrder, 'slice'>,
): NonNullable<PullJob['slice']> | null =>
  slice
    ? { key: keyOf(files), from: slice.from, count: Math.min(slice.count, files.length - slice.from), total: files.length }
    : null

/** Slices that are ordered without the key might be of different lists. */
export function requireKey({ slice }: Pick<PullOrder, 'slice'>): void {
  if (slice && !slice.key) throw validationError([{ path: 'slice.key', message: 'must be the `key` that the plan answered' }])
}
