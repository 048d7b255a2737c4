/** How a pull ends, for scripts. */
import type { JobReport, PullReport } from '../../../client/pull/report.ts'
import { exits } from '../../../contract/errors.ts'
import type { MisnamedFile } from '../../../contract/misnamed.ts'
import type { PullWarning } from '../../../contract/pull-jobs.ts'

/** The worst that happened to any job. */
export function exitOf({ jobs }: PullReport): number {
  const codes = jobs.map(exitOfJob)
  return [exits.failed, exits.conflict, exits.partly].find((code) => codes.includes(code)) ?? exits.done
}

function exitOfJob({ status, summary, warnings, not_taken_away }: JobReport): number {
  if (status === 'lost' || status === 'refused') return exits.conflict
  const placed = summary.added + summary.updated + summary.overwritten
  if (status === 'failed') return placed > 0 ? exits.partly : exits.failed
  const isShort = warnings.some(lacksOrdered)
  return isShort || summary.kept + summary.skipped + summary.left_out + not_taken_away.length > 0 ? exits.partly : exits.done
}

/** Something that was ordered itself cannot come because of its name; what is only needed by it is a warning. */
const lacksOrdered = ({ files }: PullWarning): boolean =>
  Array.isArray(files) && files.some((file: Partial<MisnamedFile> | null) => file?.ordered === true)
