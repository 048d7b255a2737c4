/**
 * A pull is killed (SIGKILL) at seeded moments: no file is half there, no edit is lost, and the same pull finishes and tells
 * the library exactly what became of each file. A moment is the step before which it dies: see client-death.ts.
 */
import { test } from 'vitest'
import { randomNumbers } from '../../sample/random.ts'
import type { ClientDeath, ClientSteps } from '../support/client-death.ts'
import { ofMany } from '../support/long-runs.ts'
import { PullingProject } from '../support/pulling-project.ts'
import { startTestServer } from '../support/server.ts'

const limits = { timeout: 900_000 }
/** After so many deaths the next project begins: what is looked at after each stays small. */
const deathsPerProject = 5

const server = await startTestServer()

/** Of so many deaths one is that of the run that should have fixed another. */
const twiceOneIn = 4

test.each(['first', 'second'])(
  'the client is killed at seeded moments, %s half: nothing is lost and it finishes',
  limits,
  async (half) => {
    const random = randomNumbers(`killed client: ${half}`)
    let steps: ClientSteps = { disk: 120, wire: 20, place: 20 }
    let project: PullingProject | undefined
    for (let deaths = 0; deaths < ofMany(9, 25); ) {
      if (deaths % deathsPerProject === 0 || !project) {
        const { url, keys } = await server.addWorkspace()
        project = await PullingProject.begin({ url, key: keys.mia }, `${half} ${deaths}`)
      }
      await project.grow()
      for (let isOver = false; !isOver; isOver = random() * twiceOneIn >= 1) {
        const ending = await project.pullAndDie(chooseMoment(steps, random))
        project.requireUnharmed()
        if ('steps' in ending) steps = ending.steps
        else deaths++
        if ('steps' in ending) break
      }
      await project.requireDone(await project.pull())
    }
  },
)

function chooseMoment(steps: ClientSteps, random: () => number): ClientDeath {
  const kinds = ['disk', 'place', 'wire'] as const
  const kind = kinds[Math.floor(random() * kinds.length)] ?? 'disk'
  return { kind, step: 1 + Math.floor(random() * steps[kind]) }
}
