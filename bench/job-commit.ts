/** The commit of one full manifest of 5,000 new items whose bytes are there already, straight to the API. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '../contract/limits.ts'
import { post, uploadedItems } from './library.ts'
import { startPh } from './ph.ts'
import { watch } from './processes.ts'
import type { Run } from './run.ts'

/** Every round commits items of its own, into a library that holds those of the rounds before. */
export async function commitManifest(name: string, database: string | undefined, { place, results, runs }: Run): Promise<void> {
  const scratch = join(place.work, 'commit')
  mkdirSync(scratch, { recursive: true })
  const server = await startPh(scratch, database, { env: { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' } })
  try {
    for (let round = 0; round <= runs; round++) {
      const names = Array.from({ length: limits.manifest.items }, (_, index) => `SM_Bench_${round}_${index}`)
      const items = await uploadedItems(server, names)
      const used = watch(server)
      const started = performance.now()
      await post(server, '/push/commit', { items })
      const wallS = (performance.now() - started) / 1000
      if (round > 0) results.add(`commit of ${limits.manifest.items} items`, name, { wallS, ...used() })
    }
  } finally {
    await server.end()
  }
}
