/** Claims on pull jobs: who may take one on, and who may say how far it is (spec 3 and 4.3). */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { olderEngineWarnings } from '../../contract/engine-warnings.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { PullJobStatus, PullWarning } from '../../contract/pull-jobs.ts'
import { isNewerEngine } from '../../formats/engine-version.ts'
import type { HeldJob, PullFile } from '../rows/pull-job.ts'
import { titleOf } from './destinations.ts'

export const newClaimToken = (): string => randomBytes(24).toString('base64url')

export const hashOfClaim = (token: string): string => createHash('sha256').update(token).digest('hex')

export const leaseUntil = (now: Date): Date => new Date(now.getTime() + limits.pullJob.leaseMinutes * 60_000)

export const wrongState = (job: HeldJob, what: string): ApiError =>
  new ApiError('JOB_STATE', `Pull job ${job.id} is ${job.status}: ${what}.`, { status: job.status })

interface Claimant {
  token: string
  userId: number
}

/** Whether the claim is this person's, and the token its own. */
export const isOwnClaim = (job: HeldJob, { token, userId }: Claimant): boolean =>
  job.claim_hash !== null &&
  job.claimed_by === userId &&
  timingSafeEqual(Buffer.from(job.claim_hash), Buffer.from(hashOfClaim(token)))

/** The claim is this person's, the token its own, and the job in one of these states; JOB_STATE otherwise. */
export function requireClaim(job: HeldJob, { states, ...claimant }: Claimant & { states: readonly PullJobStatus[] }): void {
  if (!states.includes(job.status)) throw wrongState(job, `only a job that is ${states.join(' or ')} can take that`)
  if (!isOwnClaim(job, claimant)) throw wrongState(job, 'this claim on it is lost')
}

/** Refuses what a newer engine saved, by name; warns of what an older one did. */
export function checkEngine(files: readonly PullFile[], engineVersion: string | null): PullWarning[] {
  const newer = files.filter((file) => isNewerEngine(file.engine_version, engineVersion))
  if (newer.length > 0) throw engineTooOld(newer, engineVersion)
  return olderEngineWarnings(files.filter((file) => isNewerEngine(engineVersion, file.engine_version)).length)
}

function engineTooOld(newer: readonly PullFile[], engineVersion: string | null): ApiError {
  const [first] = newer
  const need = newer.length > 1 ? ` and ${newer.length - 1} more need` : ' needs'
  const message = `${first ? titleOf(first) : ''}${need} a newer engine than ${engineVersion}.`
  return new ApiError('ENGINE_TOO_OLD', message, {
    objects: newer.map(({ object_id, asset_name, origin_path, content_hash, engine_version }) => ({
      object_id,
      asset_name,
      origin_path,
      content_hash,
      engine_version,
    })),
  })
}
