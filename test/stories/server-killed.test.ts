/**
 * The server is killed (SIGKILL) at seeded moments of pushes and started again on the same data: nothing is half visible,
 * what was acknowledged is there, and the same push finishes. A moment is the step before which it dies: see death-point.ts.
 */
import { expect, test } from 'vitest'
import type { PushSummary } from '../../client/push/report.ts'
import { randomNumbers } from '../../sample/random.ts'
import type { StepCounts, StepKind } from '../support/death-point.ts'
import { GrowingProject } from '../support/growing-project.ts'
import { ofMany } from '../support/long-runs.ts'
import { type ServerLives, startServerLives } from '../support/server-lives.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { requireWholeFiles, requireWholeLibrary, requireWholeLists } from '../support/whole-library.ts'

const seed = 'fifty moments'
/** After so many deaths the next library is taken: what is looked at after each stays small. */
const deathsPerLibrary = 5
/** Of so many deaths one is sat out by a push that goes on; the other pushes are ended and started again. */
const onePatientIn = 5
/** Of so many deaths one comes when all is done and only the answer is missing. */
const oneUnansweredIn = 7

/** Fewer steps on the disk than this are all the same. */
const fewDiskSteps = 10
const limits = { timeout: 900_000 }

const phases: [phase: string, requests: string, deaths: number][] = [
  ['uploads', 'PUT /storage/\\d+/blobs/', ofMany(7, 20)],
  ['commits', '/push/commit', ofMany(8, 22)],
  ['sending pictures', 'PUT /storage/\\d+/media/|/entries/media/|/thumbnail', ofMany(3, 8)],
]

test.each(phases)('killed in the middle of %s, the server comes back whole and the push finishes', limits, async (...phase) => {
  const [name, address, wanted] = phase
  const random = randomNumbers(`${seed}: ${name}`)
  const lives = await startServerLives(Math.ceil(wanted / deathsPerLibrary))
  let steps: StepCounts = { disk: 30, wire: 60 }
  let project: GrowingProject | undefined
  for (let deaths = 0; deaths < wanted; ) {
    const library = lives.libraries[Math.floor(deaths / deathsPerLibrary)] ?? expect.fail('there are too few libraries')
    if (project?.library !== library) project = await GrowingProject.begin(library, `${name} ${deaths}`)
    await project.grow()
    await lives.current().dieAt({ address, before: deaths % oneUnansweredIn === 0 ? 'answer' : chooseStep(steps, random) })
    const { died, summary } = await (deaths % onePatientIn === 0 ? sitOut(lives, project) : startAgain(lives, project))
    expect(summary).toMatchObject({ failed: 0, held: 0, outdated: 0, denied: 0 })
    project.requireComplete(await requireWholeLists(library))
    if (died) deaths++
    else steps = await lives.current().steps()
  }
  for (const library of lives.libraries) await requireWholeLibrary(library)
})

/** Where the server itself writes little, because the database is another program, the wire is what there is to be cut. */
function chooseStep(steps: StepCounts, random: () => number): { kind: StepKind; step: number } {
  const kind = steps.disk >= fewDiskSteps && random() < 0.6 ? 'disk' : 'wire'
  return { kind, step: 1 + Math.floor(random() * steps[kind]) }
}

interface Outcome {
  /** False when the push took fewer steps than were chosen, and was done. */
  died: boolean
  summary: PushSummary
}

/** The push is told of nothing: it waits until there is a server again. */
async function sitOut(lives: ServerLives, project: GrowingProject): Promise<Outcome> {
  const push = project.push()
  const died = await isKilled(lives.current(), push)
  if (died) await lives.start()
  return { died, summary: (await push).summary }
}

/** The push ends with its server. Whatever the library has told it before is there when the next server has started. */
async function startAgain(lives: ServerLives, project: GrowingProject): Promise<Outcome> {
  const stopping = new AbortController()
  const push = project.push({ signal: stopping.signal })
  if (!(await isKilled(lives.current(), push))) return { died: false, summary: (await push).summary }
  stopping.abort(new Error('the server has died'))
  await expect(push).rejects.toThrow('the server has died')
  await lives.start()
  const stored = requireWholeFiles(lives.dataDir)
  const contents = await requireWholeLists(project.library)
  for (const { content_hash } of contents.objects) expect(stored).toContain(content_hash)
  project.requireRemembered(contents)
  return { died: true, summary: (await project.push()).summary }
}

async function isKilled(server: ServerProcess, push: Promise<unknown>): Promise<boolean> {
  const ending = await Promise.race([server.ended, push])
  if (server.isAlive()) return false
  expect(ending).toMatchObject({ signal: 'SIGKILL', stderr: expect.stringContaining('died before: ') })
  return true
}
