/**
 * Agents that are killed (SIGKILL) at moments chosen by a seed while they import, once to three times over: no half file, no lost edit,
 * and the library hears once of every file. As often as PH_AGENT_RUNS says; bench/agent-kills.ts does it a hundred times.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { openPulls } from '../../client/pull/let-go.ts'
import { randomNumbers } from '../../sample/random.ts'
import type { AgentProcessOptions } from '../support/agent-process.ts'
import type { Json } from '../support/api.ts'
import { callAs } from '../support/api.ts'
import type { ClientDeath, ClientSteps } from '../support/client-death.ts'
import { type AgentProject, jobAt, projectFor, sendToAgent } from '../support/importing-agent.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { attachAll, makeProject, packageAt, type Target } from '../support/unreal-project.ts'

const runs = Number(process.env.PH_AGENT_RUNS ?? 4)
const seed = process.env.PH_AGENT_SEED ?? 'agent'
const server = await startTestServer()
const program = fileURLToPath(new URL('../support/agent-process.ts', import.meta.url))
const deathPoint = new URL('../support/client-death.ts', import.meta.url).href

type Ended = { died: string } | { steps: ClientSteps; imports: Json[]; conflicts: Json[] }

async function runAgent(options: AgentProcessOptions, death: ClientDeath | null, within: readonly string[] = []): Promise<Ended> {
  const [command = '', ...words] = [...within, process.execPath, '--import', deathPoint, program, JSON.stringify(options)]
  const child = spawn(command, words, { env: { ...process.env, PH_TEST_DEATH: JSON.stringify(death) } })
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr.on('data', (chunk) => (texts.stderr += chunk))
  const [code, signal] = await once(child, 'close')
  const [, died] = /^died before: (.*)$/m.exec(texts.stderr) ?? []
  if (signal === 'SIGKILL' && died !== undefined) return { died }
  expect([code, signal], texts.stderr).toEqual([0, null])
  const [, steps = '{}'] = /^steps: (.*)$/m.exec(texts.stderr) ?? []
  return { steps: JSON.parse(steps), ...JSON.parse(texts.stdout) }
}

const names = ['SM_A', 'SM_B', 'SM_C', 'SM_D', 'SM_E', 'SM_F']
const edited = ['SM_B', 'SM_E']
const pathOf = (name: string) => `Content/Town/${name}.uasset`
const bytesOf = (name: string, version: string) =>
  packageAt(pathOf(name), { payload: Buffer.alloc(20_000, `${name} ${version}`) })

const versions = ['first', 'second', 'edited'] as const

async function versionOf(name: string, bytes: Buffer | undefined): Promise<(typeof versions)[number] | undefined> {
  for (const version of versions) if (bytes?.equals(await bytesOf(name, version))) return version
  return undefined
}

/** A project that has the first versions, two of them edited since, and a job that brings the second ones. */
class Interrupted {
  readonly options: AgentProcessOptions
  readonly #target: Target
  readonly #project: AgentProject

  private constructor(target: Target, project: AgentProject, options: AgentProcessOptions) {
    this.#target = target
    this.#project = project
    this.options = options
  }

  static async begin(answer: AgentProcessOptions['answer']): Promise<Interrupted> {
    const { url, keys } = await server.addWorkspace()
    const target = { url, key: keys.mia }
    const packages = (version: string) =>
      Object.fromEntries(names.map((name) => [pathOf(name), { payload: Buffer.alloc(20_000, `${name} ${version}`) }]))
    const source = await makeProject(packages('first'))
    await source.push(target)
    const project = projectFor('Town')
    const folder = temporaryFolder()
    const places = { state: join(folder, 'state'), cache: join(folder, 'cache') }
    const first = await sendToAgent(target, 'Town', names)
    const options = { ...places, ...target, roots: [project.root], jobs: [first], answer }
    await runAgent(options, null)
    await source.save(packages('second'))
    await source.push(target, { held: attachAll })
    for (const name of edited) writeFileSync(join(project.root, pathOf(name)), await bytesOf(name, 'edited'))
    return new Interrupted(target, project, { ...options, jobs: [await sendToAgent(target, 'Town', names)] })
  }

  /** At whatever moment. */
  async requireUnharmed(): Promise<void> {
    const now = this.#project.files()
    const kept = Object.values(filesBelow(join(this.#project.root, 'Saved')))
    for (const name of names) {
      const there = await versionOf(name, now[`Town/${name}.uasset`])
      expect(there, `${name} is no version, and no edit`).toBeDefined()
      if (!edited.includes(name) || there === 'edited') continue
      const edit = await bytesOf(name, 'edited')
      expect(
        kept.some((one) => one.equals(edit)),
        `the edit of ${name} is lost`,
      ).toBe(true)
    }
  }

  async requireDone(): Promise<void> {
    await this.requireUnharmed()
    const [id = 0] = this.options.jobs
    const { status, failure_reason, report_json } = await jobAt(this.#target, id)
    expect({ status, failure_reason }).toEqual({ status: 'done', failure_reason: null })
    const now = this.#project.files()
    for (const name of names) {
      const version = edited.includes(name) && this.options.answer === 'keep_local' ? 'edited' : 'second'
      expect(
        await versionOf(name, now[`Town/${name}.uasset`]),
        `${name}, answered with ${this.options.answer}: ${JSON.stringify(report_json)}`,
      ).toBe(version)
    }
    const resolution = this.options.answer === 'keep_local' ? 'keep_local' : 'overwrite'
    const told = (name: string) => report_json.conflicts.find((one: Json) => one.destination === `/Game/Town/${name}`)?.resolution
    expect(names.map(told)).toEqual(names.map((name) => (edited.includes(name) ? resolution : undefined)))
    const { body } = await callAs(this.#target.url, this.#target.key).get('/pull-jobs?target_project=Town')
    expect(body.jobs.map((job: Json) => job.status)).toEqual(['done', 'done'])
    const { state, cache, url, roots } = this.options
    const folders = findFolders({ PH_STATE_DIR: state, PH_CACHE_DIR: cache })
    expect(openPulls({ folders, url, root: roots[0] ?? '' })).toEqual([])
    const own = Object.keys(filesBelow(join(this.#project.root, 'Saved')))
    expect(own.filter((path) => !path.startsWith('PropHouse/Backups/'))).toEqual([])
  }
}

const kinds = ['place', 'place', 'disk', 'wire'] as const

test(`agents killed while they import, ${runs} of them: every file whole, every edit there, every job reported once`, {
  timeout: runs * 60_000,
}, async () => {
  const random = randomNumbers(seed)
  const clean = await Interrupted.begin('take_incoming')
  const whole = await runAgent(clean.options, null)
  await clean.requireDone()
  const { steps } = 'steps' in whole ? whole : expect.fail(whole.died)
  const deaths: string[] = []
  for (let run = 0; run < runs; run++) {
    const one = await Interrupted.begin(random() < 0.5 ? 'keep_local' : 'take_incoming')
    for (let again = 0; again < 3; again++) {
      const kind = kinds[Math.floor(random() * kinds.length)] ?? 'disk'
      const ended = await runAgent(one.options, { kind, step: 1 + Math.floor(random() * steps[kind]) })
      if ('steps' in ended) break
      deaths.push(ended.died)
      await one.requireUnharmed()
      if (random() < 0.5) break
    }
    await runAgent(one.options, null)
    await one.requireDone()
  }
  if (process.env.PH_AGENT_FIGURES) writeFileSync(process.env.PH_AGENT_FIGURES, JSON.stringify({ runs, deaths }))
  expect(deaths.length).toBeGreaterThan(0)
})

test('a project whose disk is full: its job fails with that, and the job of another project is done', async () => {
  const { url, keys } = await server.addWorkspace()
  const target = { url, key: keys.mia }
  const source = await makeProject({ [pathOf('SM_Big')]: { payload: Buffer.alloc(3_000_000, 'big') } })
  await source.push(target)
  const folder = temporaryFolder()
  const disk = await mountSmallDisk(folder, 1024 * 1024)
  const small = projectFor('Town', { folder: disk.seen(folder) })
  const other = projectFor('Mill')
  const state = temporaryFolder()
  const jobs = [await sendToAgent(target, 'Town', ['SM_Big']), await sendToAgent(target, 'Mill', ['SM_Big'])]
  const places = { state: join(state, 'state'), cache: join(state, 'cache') }
  const roots = [join(folder, 'Town'), other.root]
  await runAgent({ ...places, ...target, roots, jobs, answer: 'keep_local' }, null, disk.within)
  const [failed, done] = await Promise.all(jobs.map((id) => jobAt(target, id)))
  expect(failed).toMatchObject({ status: 'failed', failure_reason: expect.stringContaining('are needed on the disk') })
  expect(done.status).toBe('done')
  expect([small.files(), Object.keys(other.files())]).toEqual([{}, ['Town/SM_Big.uasset']])
  expect(readdirSync(small.root)).toEqual(['Town.uproject'])
})
