/** Ordering a pull whose closure holds as many files as one may: POST /pull-jobs, straight to the API. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '../contract/limits.ts'
import { commitClosure, post } from './library.ts'
import { startPh } from './ph.ts'
import { watch } from './processes.ts'
import type { Run } from './run.ts'

export async function orderPull(name: string, database: string | undefined, { place, results, runs }: Run): Promise<void> {
  const scratch = join(place.work, 'order')
  mkdirSync(scratch, { recursive: true })
  const server = await startPh(scratch, database, { env: { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' } })
  try {
    const entry_id = await commitClosure(server, limits.pullJob.files)
    for (let round = 0; round <= runs; round++) {
      const used = watch(server)
      const started = performance.now()
      await post(server, '/pull-jobs', { target_project: 'Bench', entries: [{ entry_id }] })
      const wallS = (performance.now() - started) / 1000
      if (round > 0) results.add(`job with ${limits.pullJob.files} files`, name, { wallS, ...used() })
    }
  } finally {
    await server.end()
  }
}
