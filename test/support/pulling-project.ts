/**
 * A project that pulls all of a library again and again, and knows what must lie in it and what the library must be told of it. Between
 * two runs of one pull someone may edit there, too.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { findFolders, projectStateFile } from '../../client/folders.ts'
import type { OpenPull } from '../../client/memory/open-pulls.ts'
import { ProjectMemory } from '../../client/memory/project-memory.ts'
import type { PullOptions } from '../../client/pull/pull.ts'
import type { Outcome, PulledFile, PullReport } from '../../client/pull/report.ts'
import { randomBytes, randomNumbers } from '../../sample/random.ts'
import { callAs, type Json } from './api.ts'
import type { ClientDeath, ClientSteps } from './client-death.ts'
import { GrowingProject } from './growing-project.ts'
import { type Edit, PlaceTruth } from './place-truth.ts'
import { emptyProject, filesBelow, type PullProject } from './pull.ts'
import { sha256 } from './push.ts'
import { packageAt, type Target } from './unreal-project.ts'

const deathPoint = new URL('./client-death.ts', import.meta.url).href
const linkless = new URL('./disk-without-links.ts', import.meta.url).href
const program = fileURLToPath(new URL('./pull-process.ts', import.meta.url))
const editBytes = 5000
const nothing = Buffer.alloc(0)
const packageOf = (path: string): string => `/Game/${path.replace(/\.uasset$/, '')}`
/** One in so many files that are replaced was edited by someone here. */
const editedOneIn = 3

/** How a process that pulls ended: killed before a step, or by itself after so many, done or not. */
export type ProcessDeath = { died: string } | { steps: ClientSteps; stopped: string } | { steps: ClientSteps; report: PullReport }

export interface PullingOptions {
  /** Its disk knows no hard links. */
  linkless?: boolean
}

export class PullingProject {
  readonly library: Target
  readonly #source: GrowingProject
  readonly #project: PullProject
  readonly #random: () => number
  readonly #seed: string
  readonly #linkless: boolean
  #before: Record<string, Buffer> = {}
  #wanted: Record<string, Buffer> = {}
  #outcomes = new Map<string, Outcome>()
  /** What was saved here last in each place. */
  readonly #edits = new Map<string, Edit>()
  /** All that was ever saved here: what one run replaced, and someone edited after that, is kept too. */
  readonly #saved: Buffer[] = []
  #entryIds: number[] = []
  /** Options of this round. */
  #options: Partial<PullOptions> = {}
  /** Jobs that were there before this round. */
  #newestJob = 0

  private constructor(library: Target, { source, seed, linkless }: { source: GrowingProject; seed: string; linkless: boolean }) {
    this.library = library
    this.#source = source
    this.#project = emptyProject(`Target${seed.replaceAll(/\W/g, '')}`)
    this.#seed = seed
    this.#random = randomNumbers(seed)
    this.#linkless = linkless
  }

  static async begin(library: Target, seed: string, { linkless = false }: PullingOptions = {}): Promise<PullingProject> {
    return new PullingProject(library, { source: await GrowingProject.begin(library, seed), seed, linkless })
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
    this.#options = { onConflict, link: this.#random() < 0.3 }
    this.#forgetReplaced()
    for (const path of Object.keys(this.#project.files())) if (this.#random() * editedOneIn < 1) await this.#edit(path, false)
    this.#before = this.#project.files()
    this.#outcomes = new Map(Object.entries(this.#wanted).map(([path, bytes]) => [path, this.#outcomeOf(path, bytes)]))
  }

  /** What was edited and kept before stays edited. */
  #forgetReplaced(): void {
    const now = this.#project.files()
    for (const [path, edit] of this.#edits) {
      if (now[path]?.equals(edit.bytes)) edit.isLate = false
      else this.#edits.delete(path)
    }
  }

  /** Someone saves files while no pull runs, most of them those that one was about: says how many. */
  async editMeanwhile(): Promise<number> {
    const now = this.#project.files()
    const paths = Object.keys(now).filter((path) => this.#isWhole(path, now[path]) && this.#random() < 0.3)
    for (const path of paths) await this.#edit(path, true)
    return paths.length
  }

  /** As editors do: a new file under the old name, or other bytes in the same file. */
  async #edit(path: string, isLate: boolean): Promise<void> {
    const place = join(this.#project.root, 'Content', path)
    const payload = randomBytes(`${this.#seed} edit ${this.#saved.length}`, editBytes)
    const bytes = await packageAt(`Content/${path}`, { payload })
    this.#saved.push(bytes)
    const there = this.#project.files()[path]
    const earlier = this.#edits.get(path)
    this.#edits.set(path, { bytes, of: earlier && there?.equals(earlier.bytes) ? earlier.of : there, isLate })
    if (this.#random() < 0.5 && (statSync(place).mode & 0o200) !== 0) return writeFileSync(place, bytes)
    writeFileSync(`${place}.saving`, bytes)
    renameSync(`${place}.saving`, place)
  }

  #outcomeOf(path: string, wanted: Buffer): Outcome {
    const before = this.#before[path]
    if (!before) return 'added'
    if (before.equals(wanted)) return 'identical'
    if (!this.#edits.has(path)) return 'updated'
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

  /** The same pull in a process of its own, from beginning to end, on the disk that the project has. */
  async pullApart(): Promise<{ steps: ClientSteps; report: PullReport }> {
    const ending = await this.pullAndDie(null)
    return 'report' in ending ? ending : expect.fail(JSON.stringify(ending))
  }

  /** The same pull in a process of its own, which ends before a step of its work. */
  async pullAndDie(before: ClientDeath | null): Promise<ProcessDeath> {
    const { root, state, cache } = this.#project
    const { url, key } = this.library
    const options = { root, state, cache, url, key, entries: this.#order(), ...this.#options }
    const loaded = [...(this.#linkless ? [linkless] : []), deathPoint].flatMap((one) => ['--import', one])
    const child = spawn(process.execPath, [...loaded, program, JSON.stringify(options)], {
      env: { ...process.env, PH_TEST_DEATH: JSON.stringify(before) },
    })
    const texts = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (texts.stdout += chunk))
    child.stderr.on('data', (chunk) => (texts.stderr += chunk))
    const [code, signal] = await once(child, 'close')
    const [, died] = /^died before: (.*)$/m.exec(texts.stderr) ?? []
    if (signal === 'SIGKILL' && died !== undefined) return { died }
    const [, said] = /^steps: (.*)$/m.exec(texts.stderr) ?? expect.fail(texts.stderr)
    const steps = JSON.parse(said ?? '')
    const [, stopped] = /^ended by: (.*)$/m.exec(texts.stderr) ?? []
    if (stopped !== undefined && before?.how) return { steps, stopped }
    expect([code, signal], texts.stderr).toEqual([0, null])
    return { steps, report: JSON.parse(texts.stdout) }
  }

  /** At whatever moment: every file is what it was or what it is to be, and no edit is gone. */
  requireUnharmed(): void {
    const now = this.#project.files()
    const elsewhere = Object.values(filesBelow(join(this.#project.root, 'Saved', 'PropHouse')))
    const isKept = (bytes: Buffer) => elsewhere.some((one) => one.equals(bytes))
    for (const [path, bytes] of Object.entries(now))
      expect(this.#isWhole(path, bytes) || this.#isBegun(path, bytes), `${path} is no version, and no edit`).toBe(true)
    for (const [path, bytes] of Object.entries(this.#before))
      if (!(path in now)) expect(this.#linkless && isKept(bytes), `${path} is gone`).toBe(true)
    for (const [path, { bytes }] of this.#edits)
      if (!now[path]?.equals(bytes)) expect(isKept(bytes), `the edit of ${path} is lost`).toBe(true)
  }

  /** What was there, what is to be there, or what someone saved. */
  #isWhole(path: string, bytes: Buffer | undefined): boolean {
    const isKept = this.#outcomes.get(path) === 'kept' && !this.#edits.get(path)?.isLate
    const states = [this.#before[path], isKept ? undefined : this.#wanted[path], this.#edits.get(path)?.bytes]
    return bytes !== undefined && states.some((state) => state?.equals(bytes))
  }

  /** Where there are no links a file comes into its place piece by piece, and killed in the middle it is there in part. */
  #isBegun = (path: string, bytes: Buffer): boolean =>
    this.#linkless && bytes.equals((this.#wanted[path] ?? Buffer.alloc(0)).subarray(0, bytes.length))

  /** Pulls that this side believes to be under way. */
  open(): OpenPull[] {
    const memory = this.#memory()
    const open = memory.pulls.list()
    memory.close()
    return open
  }

  /** Whatever this side was told is so: its jobs are there, and what is claimed can be gone on with by the token that is remembered. */
  async requireRemembered(): Promise<void> {
    const tokens = new Map(this.open().map(({ jobId, claimToken }) => [jobId, claimToken]))
    const jobs = await this.#jobs()
    const states = new Map(jobs.map(({ id, status }) => [id, status]))
    for (const [id, token] of tokens)
      expect(token === null ? ['queued'] : ['queued', 'claimed', 'running', 'done']).toContain(states.get(id))
    for (const { id, status } of jobs)
      if (status === 'claimed' || status === 'running') {
        const beat = await this.#api.post(`/pull-jobs/${id}/heartbeat`, { claim_token: tokens.get(id) ?? '' })
        expect([status, beat.status], JSON.stringify(beat.body)).toEqual([status, 200])
      }
  }

  /** Everything lies in its place, the library knows exactly what became of it, and nothing else is left over. */
  async requireDone(report: PullReport): Promise<void> {
    this.requireUnharmed()
    const now = this.#project.files()
    expect(Object.keys(now)).toEqual(Object.keys(this.#wanted).sort())
    for (const [path, outcome] of this.#outcomes)
      if (!this.#edits.get(path)?.isLate)
        expect(now[path]?.equals((outcome === 'kept' ? this.#before[path] : this.#wanted[path]) ?? nothing), path).toBe(true)
    await this.#requireToldOnce(report)
    const { root, cache } = this.#project
    expect(this.open()).toEqual([])
    const own = join(root, 'Saved', 'PropHouse')
    expect(existsSync(own) ? readdirSync(own).filter((name) => name !== 'Backups') : []).toEqual([])
    const incoming = join(cache, 'content', 'incoming')
    // What had come of a file that is not pulled any more, because someone has edited the one here, waits for who wants it.
    const isWanted = (part: string) => !unwanted.has(part.slice(0, 64))
    const late = [...this.#edits].filter(([path, { bytes, isLate }]) => isLate && now[path]?.equals(bytes))
    const unwanted = new Set(late.map(([path]) => sha256(this.#wanted[path] ?? nothing)))
    expect(existsSync(incoming) ? readdirSync(incoming).filter(isWanted) : []).toEqual([])
    await this.#truth().requireMemory()
  }

  /** Pushes all of the project: an edit becomes the next version of what it was made from, and of nothing else. Says how many did. */
  requireHonestPush = (): Promise<number> => this.#truth().requireHonestPush()

  /** At whatever moment: nothing is remembered of a place that is newer than what lies there. */
  requireMemory = (): Promise<void> => this.#truth().requireMemory()

  #truth = (): PlaceTruth =>
    new PlaceTruth({ library: this.library, project: this.#project, memory: () => this.#memory(), edits: this.#edits })

  /** The first job that was done says what became of each file; any later one found them so. */
  async #requireToldOnce({ jobs: reported }: PullReport): Promise<void> {
    const jobs = (await this.#jobs()).filter(({ id }) => id > this.#newestJob).sort((a, b) => a.id - b.id)
    // An answer that did not arrive leaves a job that nobody has worked on.
    for (const { status } of jobs) expect(['done', 'queued', 'claimed']).toContain(status)
    const done = jobs.filter(({ status }) => status === 'done')
    expect(done.length).toBeGreaterThan(0)
    for (const [index, { id }] of done.entries()) {
      const { body } = await this.#api.get(`/pull-jobs/${id}`)
      const told = new Map(outcomesTold(body.report_json).map(([place, outcome]) => [place, outcome]))
      expect([...told.keys()].sort()).toEqual([...this.#outcomes.keys()].map(packageOf).sort())
      for (const [path, outcome] of this.#outcomes) {
        const expected = index === 0 || outcome === 'kept' ? outcome : 'identical'
        if (!this.#edits.get(path)?.isLate) expect(told.get(packageOf(path)), path).toBe(expected)
      }
      const here = reported.find((job) => job.job_id === id)
      if (!here) continue
      expect(here.files.map(({ destination, outcome }) => [destination, outcome]).sort()).toEqual([...told].sort())
      this.#requireTrue(here.files, index === done.length - 1)
    }
    expect(done.map(({ id }) => id)).toContain(reported.at(-1)?.job_id)
    expect(new Set(reported.map(({ status }) => status))).toEqual(new Set(['done']))
  }

  /** What is said of each file is what lies there. */
  #requireTrue(files: readonly PulledFile[], isLast: boolean): void {
    const now = this.#project.files()
    for (const { file, outcome, backup } of files) {
      const path = file.replace(/^Content\//, '')
      const [edit, wanted] = [this.#edits.get(path), this.#wanted[path] ?? nothing]
      const isEditOfIt = edit?.isLate === true && edit.of?.equals(wanted) === true && now[path]?.equals(edit.bytes) === true
      const isThere = now[path]?.equals(wanted) === true || isEditOfIt
      if (outcome !== 'kept' && outcome !== 'skipped' && (isLast || !edit?.isLate))
        expect(isThere, `${file}: ${outcome}`).toBe(true)
      if (outcome !== 'overwritten') continue
      const kept = readFileSync(join(this.#project.root, backup ?? expect.fail(`${file} was overwritten without a backup`)))
      const isSaved = [this.#before[path], ...this.#saved].some((bytes) => bytes?.equals(kept))
      expect(isSaved, `${backup} holds something else`).toBe(true)
    }
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

  #memory(): ProjectMemory {
    const { root, state } = this.#project
    const about = { address: this.library.url, root }
    return new ProjectMemory(projectStateFile(findFolders({ PH_STATE_DIR: state }), about.address, root), about)
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
