/** Holds the report of a finished job against what the job was to bring (spec 4.3). Pure. */
import { type Failure, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { PullReport } from '../../contract/pull-reports.ts'
import type { PullFile } from '../rows/pull-job.ts'

const lists = ['added', 'skipped_identical', 'conflicts', 'failed'] as const

/** What any report keeps to: its size. */
export function requireBounded(report: PullReport): void {
  const count = lists.reduce((sum, list) => sum + report[list].length, 0)
  if (count > limits.pullJob.files) throw refused(`lists ${count} files; at most ${limits.pullJob.files} belong to a job`)
  if (Buffer.byteLength(JSON.stringify(report)) > limits.pullJob.reportBytes)
    throw refused(`is larger than ${limits.pullJob.reportBytes} bytes`)
}

/** A job is done when every file of it is accounted for, once, and none failed. */
export function requireComplete(report: PullReport, files: readonly PullFile[]): void {
  const open = new Map(files.map((file) => [file.content_hash, file]))
  const known = new Map(open)
  const failures: Failure[] = []
  for (const list of lists)
    for (const [index, { content_hash, lineage_id, asset_name }] of report[list].entries()) {
      const path = `report_json.${list}.${index}`
      if (list === 'failed') failures.push({ path, message: `${asset_name} failed, so the job is not done; report it as failed` })
      if (known.get(content_hash)?.lineage_id !== lineage_id)
        failures.push({ path, message: `${asset_name} is not a file of this job` })
      else if (!open.delete(content_hash)) failures.push({ path, message: `${asset_name} is listed more than once` })
    }
  for (const { asset_name, content_hash } of open.values())
    failures.push({ path: 'report_json', message: `${asset_name ?? content_hash} is missing`, content_hash })
  if (failures.length > 0) throw validationError(failures)
}

const refused = (message: string) => validationError([{ path: 'report_json', message }])
