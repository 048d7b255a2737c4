/** A very large folder that has not changed since the last push: what a person waits for who edited nothing. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender } from './contenders.ts'
import type { Content } from './content.ts'
import { ran, timed } from './processes.ts'
import type { Run } from './run.ts'

export async function pushMany(content: Content, contenders: readonly Contender[], { place, results, runs }: Run): Promise<void> {
  const job = `${content.files.toLocaleString('en')} files, nothing changed`
  for (const contender of contenders) {
    const scratch = join(place.work, 'many-store')
    mkdirSync(scratch, { recursive: true })
    const { push, server, end } = await contender.start(content.folder, scratch)
    try {
      ran(push)
      for (let round = 0; round <= runs; round++) {
        const sample = timed(push, place.work, server)
        if (round > 0) results.add(job, contender.name, sample)
      }
    } finally {
      await end()
    }
  }
}
