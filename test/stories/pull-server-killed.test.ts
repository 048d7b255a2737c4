/**
 * The server is killed (SIGKILL) at seeded moments of pulls and started again on the same data: what it has said is so, no
 * file is half there, no edit is lost, and the same pull finishes and tells exactly what became of each file. A moment is the step
 * before which it dies: see death-point.ts.
 */
import { expect, test } from 'vitest'
import type { PullReport } from '../../client/pull/report.ts'
import { randomNumbers } from '../../sample/random.ts'
import type { StepCounts } from '../support/death-point.ts'
import { ofMany } from '../support/long-runs.ts'
import { PullingProject } from '../support/pulling-project.ts'
import { type ServerLives, startServerLives } from '../support/server-lives.ts'
import { requireWholeLibrary } from '../support/whole-library.ts'

const limits = { timeout: 1_200_000 }
/** After so many deaths the next project begins: what is looked at after each stays small. */
const deathsPerProject = 5

/** Of so many deaths of the server one is sat out by a pull that goes on; the other pulls are ended and started again. */
const onePatientIn = 4
/** Of so many deaths one comes when all is done and only the answer is missing. */
const oneUnansweredIn = 4
/** Where the server itself writes less than this, its database is another program, and the wire is what there is to be cut. */
const fewDiskSteps = 10

interface Phase {
  name: string
  /** Requests in whose midst it dies. */
  address: string
  deaths: number
}

/** Two at a time, each with a server of its own: most of the time goes into starting servers. */
const phases: [Phase, Phase][] = [
  [
    { name: 'orders', address: 'POST .*/pull-jobs$', deaths: ofMany(4, 12) },
    { name: 'files', address: 'GET /storage/', deaths: ofMany(4, 12) },
  ],
  [
    { name: 'claims', address: '/pull-jobs/\\d+/(claim|closure|heartbeat)', deaths: ofMany(4, 12) },
    { name: 'reports', address: 'PATCH .*/pull-jobs/', deaths: ofMany(5, 14) },
  ],
]

test.each(phases.map((two) => ({ two, names: two.map(({ name }) => name).join(' and of ') })))(
  'killed in the middle of $names, what it has said is so, and the pull finishes',
  limits,
  async ({ two }) => {
    await Promise.all(two.map(killAgainAndAgain))
  },
)

async function killAgainAndAgain({ name, address, deaths: wanted }: Phase): Promise<void> {
  const random = randomNumbers(`killed server: ${name}`)
  const lives = await startServerLives(Math.ceil(wanted / deathsPerProject))
  let steps: StepCounts = { disk: 20, wire: 20 }
  let project: PullingProject | undefined
  for (let deaths = 0; deaths < wanted; ) {
    const library = lives.libraries[Math.floor(deaths / deathsPerProject)] ?? expect.fail('there are too few libraries')
    if (project?.library !== library) project = await PullingProject.begin(library, `${name} ${deaths}`)
    await project.grow()
    const kind = steps.disk >= fewDiskSteps && random() < 0.6 ? 'disk' : 'wire'
    const step = { kind, step: 1 + Math.floor(random() * steps[kind]) } as const
    await lives.current().dieAt({ address, before: deaths % oneUnansweredIn === 0 ? 'answer' : step })
    const ending = await pullOnce(lives, project, deaths % onePatientIn === 1)
    project.requireUnharmed()
    if (ending.died) deaths++
    else steps = await lives.current().steps()
    if (ending.died) await project.requireRemembered()
    await project.requireDone(ending.report ?? (await project.pull()))
  }
  for (const library of lives.libraries) await requireWholeLibrary(library)
}

interface Outcome {
  /** False when the pull took fewer steps than were chosen. */
  died: boolean
  /** None where the pull ended with its server. */
  report?: PullReport
}

/** A patient pull is told of nothing, and waits until there is a server again; where it cannot know what was done it ends. */
async function pullOnce(lives: ServerLives, project: PullingProject, isPatient: boolean): Promise<Outcome> {
  const server = lives.current()
  const stopping = new AbortController()
  const pull = project.pull({ signal: stopping.signal }).then(
    (report) => ({ report }),
    (error: unknown) => ({ error }),
  )
  const ending = await Promise.race([server.ended, pull])
  const died = !server.isAlive() || 'error' in ending
  if (died) expect(await server.ended).toMatchObject({ signal: 'SIGKILL', stderr: expect.stringContaining('died before: ') })
  if (died && !isPatient) stopping.abort(new Error('the server has died'))
  const early = died && !isPatient ? await pull : undefined
  if (died) await lives.start()
  const result = early ?? (await pull)
  if ('report' in result) return { died, report: result.report }
  expect(result.error).toMatchObject(
    isPatient ? { code: 'UNREACHABLE' } : { message: expect.stringMatching(/the server has died|Cannot reach/) },
  )
  return { died }
}
