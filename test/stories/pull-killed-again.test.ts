/**
 * Pulls that are ended at seeded moments, once, twice or three times over, by SIGKILL, by Ctrl-C or by a network that goes away, on
 * disks with hard links and without, while someone edits files between the runs. After each run and in the end: the files, what is
 * remembered of them, the report, the library, and whether a push of the edits makes the right versions. `bench/pull-killed.ts` does the
 * same some hundreds of times.
 */
import { writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { randomNumbers } from '../../sample/random.ts'
import { InterruptedPulls } from '../support/interrupted-pulls.ts'
import { startTestServer } from '../support/server.ts'

const { PH_PULL_RUNS = '6', PH_PULL_SEED = 'again and again', PH_PULL_FIGURES } = process.env
/** Folders of so many runs are on the disk at once. */
const runsPerTest = 6
const limits = { timeout: 1_200_000 }

const server = await startTestServer()
const pulls = new InterruptedPulls()
const parts = Array.from({ length: Math.ceil(Number(PH_PULL_RUNS) / runsPerTest) }, (_, part) => part * runsPerTest)

afterEach(() => {
  if (PH_PULL_FIGURES) writeFileSync(PH_PULL_FIGURES, JSON.stringify(pulls.figures))
})

test.each(parts)(
  'pulls %d and the next ones are interrupted again and again: nothing is lost, nothing is told or remembered that is not so',
  limits,
  async (first) => {
    for (let run = first; run < Math.min(first + runsPerTest, Number(PH_PULL_RUNS)); run++) {
      const { url, keys } = await server.addWorkspace()
      await pulls.run({ url, key: keys.mia }, `${PH_PULL_SEED} ${run}`, randomNumbers(`${PH_PULL_SEED} ${run}`))
    }
    expect(pulls.takeFaults()).toEqual([])
  },
)
