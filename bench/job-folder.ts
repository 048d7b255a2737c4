/** The main job: one folder pushed for the first time, pushed again unchanged, and pushed with one file in a hundred edited. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender } from './contenders.ts'
import type { Content } from './content.ts'
import { type Command, ran, timed } from './processes.ts'
import type { Place, Run } from './run.ts'
import type { Results } from './table.ts'

/**
 * One round of every tool after the other, so that a machine whose speed drifts treats all alike.
 * The first round warms the page cache and is not counted.
 */
export async function pushFolder(
  content: Content,
  contenders: readonly Contender[],
  { place, results, runs }: Run,
): Promise<void> {
  for (let round = 0; round <= runs; round++) {
    const add = (job: string, name: string, sample: Parameters<Results['add']>[2]): void =>
      void (round > 0 && results.add(job, name, sample))
    for (const { name, sample, job } of floor(content.folder, place)) add(job, name, sample)
    add(HASH, 'ph: hashes and headers', hashPhase(content.folder))
    add(HASH, 'sha256sum, 2 at once', timed(sums(content.folder), place.work))
    for (const contender of contenders) {
      const scratch = join(place.work, 'store')
      mkdirSync(scratch, { recursive: true })
      const { push, plan, server, end } = await contender.start(content.folder, scratch)
      const once = (): ReturnType<typeof timed> => {
        settle(place.work)
        return timed(push, place.work, server)
      }
      try {
        if (plan) add(PLAN, contender.name, timed(plan, place.work, server))
        add(FIRST, contender.name, once())
        add(AGAIN, contender.name, once())
        content.edit(round)
        add(EDITED, contender.name, once())
      } finally {
        await end()
      }
    }
  }
}

const PLAN = 'first look: push --dry-run'
const FIRST = 'first push'
const AGAIN = 'push, nothing changed'
const EDITED = 'push, 1 % changed'
const HASH = 'hashing the folder'

/** What an earlier tool wrote is on the disk before the next one is timed. */
const settle = (work: string): void => void ran({ run: ['sync', '-f', work] })

const hashPhase = (folder: string): { wallS: number } => ({
  wallS: Number(ran({ run: [process.execPath, join(import.meta.dirname, 'hash-phase.ts'), folder] })),
})

const sums = (folder: string): Command => ({
  run: ['sh', '-c', `find '${folder}' -type f -print0 | xargs -0 -P2 -n64 sha256sum > /dev/null`],
})

const FLOOR = 'floor in Node, no database'
const FLOOR_ROWS: Record<string, string> = {
  'scan + hash, 2 workers': HASH,
  'hash and upload overlapped': FIRST,
  'no-op: load stat cache, scan, compare': AGAIN,
}

/** What bare Node can do, timed by the script itself, without the start of a process: `| step | 4.25 (4.2-4.3) | MB/s | CPU | CPU |`. */
function floor(folder: string, { scripts, work }: Place): { job: string; name: string; sample: { wallS: number } }[] {
  const run = [process.execPath, join(scripts, 'push-floor.mjs'), folder, join(work, 'floor'), '--fsync', '--runs', '1']
  return ran({ run })
    .split('\n')
    .flatMap((line) => {
      const [, step = '', wall = ''] = line.split('|').map((cell) => cell.trim())
      const job = FLOOR_ROWS[step]
      return job ? [{ job, name: FLOOR, sample: { wallS: Number.parseFloat(wall) } }] : []
    })
}
