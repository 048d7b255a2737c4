/** A project that pulls all of a library again and again, and knows what must lie in it and what the library must be told of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { Fingerprints } from '../../client/fingerprints.ts'
import { findFolders, projectStateFile } from '../../client/folders.ts'
import type { OpenPull } from '../../client/open-pulls.ts'
import type { PullOptions } from '../../client/pull.ts'
import type { Outcome, PullReport } from '../../client/pull-report.ts'
import { randomBytes, randomNumbers } from '../../sample/random.ts'
import { callAs, type Json } from './api.ts'
import type { ClientDeath, ClientSteps } from './client-death.ts'
import { GrowingProject } from './growing-project.ts'
import { emptyProject, filesBelow, type PullProject } from './pull.ts'
import type { Target } from './unreal-project.ts'

const deathPoint = new URL('./client-death.ts', import.meta.url).href
const program = fileURLToPath(new URL('./pull-process.ts', import.meta.url))
const editBytes = 5000
/** One in so many files that are replaced was edited by somebody here. */
const editedOneIn = 3

/** How a process that pulls ended: killed before a step, or done, after so many. */
export type ProcessDeath = { died: string } | { steps: ClientSteps; report: PullReport }

export class PullingProject {
  readonly library: Target
  readonly #source: GrowingProject
  readonly #project: PullProject
  readonly #random: () => number
  readonly #seed: string
  #before: Record<string, Buffer> = {}
  #wanted: Record<string, Buffer> = {}
  #outcomes = new Map<string, Outcome>()
  #edits = 0
  #entryIds: number[] = []
  /** Options of this round. */
  #options: Partial<PullOptions> = {}
  /** Jobs that were there before this round. */
  #newestJob = 0

  private constructor(library: Target, { source, seed }: { source: GrowingProject; seed: string }) {
    this.library = library
    this.#source = source
    this.#project = emptyProject(`Target${seed.replaceAll(/\W/g, '')}`)
    this.#seed = seed
    this.#random = randomNumbers(seed)
  }

  static async begin(library: Target, seed: string): Promise<PullingProject> {
    return new PullingProject(library, { source: await GrowingProject.begin(library, seed), seed })
  }

  /** There is something new to be pulled, and here and there an edit that nobody else has. */
  async grow(): Promise<void> {
    await this.#source.grow()
    await this.#source.push()
    this.#wanted = filesBelow(this.#source.folders.content)
    const { body } = await this.#api.get('/entries?limit=200')
    this.#entryIds = body.entries.map(({ id }: Json) => id)
    this.#newestJob = Math.max(0, ...(await this.#jobs()).map(({ id }) => id))
    const onConflict = this.#random() < 0.5 ? 'keep' : 'overwrite'
    // Packages that were saved only once still need the first version of others.
    this.#options = { onConflict, link: this.#random() < 0.3, preferNewest: true }
    const edited = this.#edit()
    this.#before = this.#project.files()
    this.#outcomes = new Map(
      Object.entries(this.#wanted).map(([path, bytes]) => [path, this.#outcomeOf(bytes, this.#before[path], edited.has(path))]),
    )
  }

  /** Saves some files as an editor does: a new file under the old name. What was edited and kept before stays edited. */
  #edit(): Set<string> {
    const kept = [...this.#outcomes].flatMap(([path, outcome]) => (outcome === 'kept' ? [path] : []))
    const files = Object.keys(this.#project.files()).filter(() => this.#random() * editedOneIn < 1)
    for (const path of files) {
      const place = join(this.#project.root, 'Content', path)
      rmSync(place)
      writeFileSync(place, randomBytes(`${this.#seed} edit ${this.#edits++}`, editBytes))
    }
    return new Set([...kept, ...files])
  }

  #outcomeOf(wanted: Buffer, before: Buffer | undefined, isEdited: boolean): Outcome {
    if (!before) return 'added'
    if (before.equals(wanted)) return 'identical'
    if (!isEdited) return 'updated'
    return this.#options.onConflict === 'keep' ? 'kept' : 'overwritten'
  }

  /** The pull of this round, here. */
  pull = (options: Partial<PullOptions> = {}): Promise<PullReport> =>
    this.#project.pull(this.library, undefined, {
      order: async () => this.#order(),
      ...this.#options,
      ...options,
    })

  #order = () => this.#entryIds.map((entry_id) => ({ entry_id }))

  /** The same pull in a process of its own, which dies before a step of its work. */
  async pullAndDie(before: ClientDeath): Promise<ProcessDeath> {
    const { root, state, cache } = this.#project
    const { url, key } = this.library
    const options = { root, state, cache, url, key, entries: this.#order(), ...this.#options }
    const child = spawn(process.execPath, ['--import', deathPoint, program, JSON.stringify(options)], {
      env: { ...process.env, PH_TEST_DEATH: JSON.stringify(before) },
    })
    const texts = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (texts.stdout += chunk))
    child.stderr.on('data', (chunk) => (texts.stderr += chunk))
    const [code, signal] = await once(child, 'close')
    const [, died] = /^died before: (.*)$/m.exec(texts.stderr) ?? []
    if (signal === 'SIGKILL' && died !== undefined) return { died }
    const [, steps] = /^steps: (.*)$/m.exec(texts.stderr) ?? expect.fail(texts.stderr)
    expect([code, signal], texts.stderr).toEqual([0, null])
    return { steps: JSON.parse(steps ?? ''), report: JSON.parse(texts.stdout) }
  }

  /** At whatever moment: every file is what it was or what it is to be, and no edit is gone. */
  requireUnharmed(): void {
    const now = this.#project.files()
    const backups = Object.values(filesBelow(join(this.#project.root, 'Saved', 'PropHouse')))
    for (const [path, bytes] of Object.entries(now)) {
      const states = { before: this.#before[path], wanted: this.#outcomes.get(path) === 'kept' ? undefined : this.#wanted[path] }
      expect(
        Object.values(states).some((state) => state?.equals(bytes)),
        `${path} is neither what it was nor what it is to be`,
      ).toBe(true)
    }
    for (const [path, bytes] of Object.entries(this.#before)) {
      expect(now, 'a file is gone').toHaveProperty([path])
      if (this.#outcomes.get(path) === 'overwritten' && !now[path]?.equals(bytes))
        expect(
          backups.some((backup) => backup.equals(bytes)),
          `the edit of ${path} is lost`,
        ).toBe(true)
    }
  }

  /** Pulls that this side believes to be under way. */
  open(): OpenPull[] {
    const memory = this.#memory()
    const open = memory.pulls.list()
    memory.close()
    return open
  }

  /** Whatever this side was told is so: its jobs are there, and a claim that was given to it is not forgotten. */
  async requireRemembered(): Promise<void> {
    const jobs = new Map((await this.#jobs()).map((job) => [job.id, job]))
    for (const { jobId, claimToken } of this.open())
      expect(claimToken === null ? ['queued', 'claimed'] : ['claimed', 'running', 'done']).toContain(jobs.get(jobId)?.status)
  }

  /** Everything lies in its place, the library knows exactly what became of it, and nothing else is left over. */
  async requireDone(report: PullReport): Promise<void> {
    this.requireUnharmed()
    const now = this.#project.files()
    expect(Object.keys(now)).toEqual(Object.keys(this.#wanted).sort())
    for (const [path, outcome] of this.#outcomes)
      expect(now[path]?.equals((outcome === 'kept' ? this.#before[path] : this.#wanted[path]) ?? Buffer.alloc(0)), path).toBe(
        true,
      )
    await this.#requireToldOnce(report)
    const { root, cache } = this.#project
    expect(this.open()).toEqual([])
    const own = join(root, 'Saved', 'PropHouse')
    expect(existsSync(own) ? readdirSync(own).filter((name) => name !== 'Backups') : []).toEqual([])
    const incoming = join(cache, 'content', 'incoming')
    expect(existsSync(incoming) ? readdirSync(incoming) : []).toEqual([])
  }

  /** The first job that was done says what became of each file; any later one found them so. */
  async #requireToldOnce({ jobs: reported }: PullReport): Promise<void> {
    const jobs = (await this.#jobs()).filter(({ id }) => id > this.#newestJob).sort((a, b) => a.id - b.id)
    // An answer that did not arrive leaves a job that nobody has worked on.
    for (const { status } of jobs) expect(['done', 'queued', 'claimed']).toContain(status)
    const done = jobs.filter(({ status }) => status === 'done')
    expect(done.length).toBeGreaterThan(0)
    for (const [index, { id }] of done.entries()) {
      const { body } = await this.#api.get(`/pull-jobs/${id}`)
      const told = outcomesTold(body.report_json)
      const expected = [...this.#outcomes].map(([path, outcome]): [string, string] => [
        `/Game/${path.replace(/\.uasset$/, '')}`,
        index === 0 || outcome === 'kept' ? outcome : 'identical',
      ])
      expect(told).toEqual(expected.sort())
      const here = reported.find((job) => job.job_id === id)
      if (here) expect(here.files.map(({ destination, outcome }) => [destination, outcome]).sort()).toEqual(told)
    }
    expect(done.map(({ id }) => id)).toContain(reported.at(-1)?.job_id)
    expect(new Set(reported.map(({ status }) => status))).toEqual(new Set(['done']))
  }

  async #jobs(): Promise<Json[]> {
    const project = encodeURIComponent(this.#project.root.split('/').at(-1) ?? '')
    const { status, body } = await this.#api.get(`/pull-jobs?target_project=${project}&limit=200`)
    expect(status).toBe(200)
    return body.jobs
  }

  get #api() {
    return callAs(this.library.url, this.library.key)
  }

  #memory(): Fingerprints {
    const { root, state } = this.#project
    const about = { address: this.library.url, root }
    return new Fingerprints(projectStateFile(findFolders({ PH_STATE_DIR: state }), about.address, root), about)
  }
}

function outcomesTold({ added, skipped_identical, conflicts, failed }: Json): [string, string][] {
  expect(failed).toEqual([])
  const resolutions: Json = { keep_local: 'kept', overwrite: 'overwritten', skip: 'skipped' }
  const all = [
    ...added.map(({ destination, action }: Json) => [destination, action === 'add' ? 'added' : 'updated']),
    ...skipped_identical.map(({ destination }: Json) => [destination, 'identical']),
    ...conflicts.map(({ destination, resolution }: Json) => [destination, resolutions[resolution]]),
  ]
  return all.sort()
}
