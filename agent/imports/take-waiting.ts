/** Brings a version that waits since the local file was kept: by a pull of that one file, with a copy of what it replaces. */
import { join } from 'node:path'
import type { Api } from '../../client/http/api.ts'
import type { AgentConflict } from '../../contract/agent-imports.ts'
import { ApiError } from '../../contract/errors.ts'
import type { KeptConflict } from './conflict-file.ts'
import type { Conflicts } from './conflicts.ts'
import type { ImportOrder, ImportRun } from './import-run.ts'

interface Taking {
  api: Api
  conflicts: Conflicts
  run(order: ImportOrder): Promise<ImportRun>
}

/** Ordered anew as it was then, and everything else of that order stays as it is. Throws CONFLICT where the file could not be replaced. */
export async function takeWaiting(found: KeptConflict, { api, conflicts, run }: Taking): Promise<AgentConflict> {
  const { entries, target_root } = await api.pullJobs.get({ job_id: found.job_id })
  conflicts.take(found)
  try {
    const { jobs } = await run({
      order: async () => entries.map(({ entry_id, object_id }) => ({ entry_id, object_id })),
      targetRoot: target_root,
      only: [found.file],
      taken: new Set([found.incoming.content_hash ?? '']),
    })
    const job = jobs.at(-1)
    const file = job?.files.find((one) => one.file === found.file)
    const isThere = file && ['added', 'updated', 'overwritten', 'identical'].includes(file.outcome)
    if (isThere) return conflicts.end(found, 'take_incoming', file.backup === undefined ? null : join(found.root, file.backup))
    throw new ApiError('CONFLICT', job?.reason ?? `${found.file} was saved at this moment and stays. Answer again.`)
  } catch (error) {
    conflicts.waitOn(found)
    throw error
  }
}
