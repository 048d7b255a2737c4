/** What a person waits for who asks how a very large folder stands to the library, nothing having changed. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Content } from './content.ts'
import { person, ph, startPh } from './ph.ts'
import { ran, timed } from './processes.ts'
import type { Run } from './run.ts'

export async function statusOfMany(
  content: Content,
  databases: readonly { name: string; database: string | undefined }[],
  { place, results, runs }: Run,
): Promise<void> {
  const job = `status of ${content.files.toLocaleString('en')} unchanged files`
  for (const { name, database } of databases) {
    const scratch = join(place.work, 'status-store')
    mkdirSync(scratch, { recursive: true })
    const server = await startPh(join(scratch, 'server'), database)
    const someone = person(server, join(scratch, 'person'))
    const status = ph(['status', content.folder, '--json'], someone)
    try {
      ran(ph(['push', content.folder, '--json'], someone))
      for (let round = -1; round <= runs; round++) {
        const sample = timed(status, place.work, server)
        if (round > 0) results.add(job, name, sample)
      }
    } finally {
      await server.end()
    }
  }
}
