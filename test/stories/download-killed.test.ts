/**
 * `ph download` of many is killed (SIGKILL) at chosen moments and run again: no file is ever half there, what arrived before is not
 * fetched again, and nothing but the files is left. A moment is the step before which it dies: see client-death.ts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { randomBytes } from '../../sample/random.ts'
import type { ClientDeath, ClientSteps } from '../support/client-death.ts'
import { phProcess } from '../support/ph-process.ts'
import { filesBelow } from '../support/pull.ts'
import { sha256 } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeProject } from '../support/unreal-project.ts'

const deathPoint = new URL('../support/client-death.ts', import.meta.url).href
const server = await startTestServer()

const paths = Array.from({ length: 24 }, (_, at) => `Content/Set${at % 3}/SM_${at}.uasset`)
/** A few that arrive in several pieces. */
const payload = (at: number) => randomBytes(`download ${at}`, at % 6 === 0 ? 900_000 : 3000)
const names = paths.map((path) => path.replace(/^.*\/(.*)\.uasset$/, '$1')).join('\n')

interface Library {
  url: string
  key: string
  /** What is in it, by path. */
  whole: Record<string, Buffer>
}

async function library(): Promise<Library> {
  const { url, keys } = await server.addWorkspace()
  const project = await makeProject(Object.fromEntries(paths.map((path, at) => [path, { payload: payload(at) }])))
  await project.push({ url, key: keys.mia })
  const whole = Object.fromEntries(paths.map((path) => [path, readFileSync(join(project.root, path))]))
  return { url, key: keys.miaReads, whole }
}

interface Machine {
  to: string
  cache: string
}
const newMachine = (): Machine => ({ to: temporaryFolder(), cache: temporaryFolder() })

function download({ to, cache }: Machine, { url, key }: Pick<Library, 'url' | 'key'>, death: ClientDeath | null = null) {
  const own = { PH_URL: url, PH_API_KEY: key, PH_CACHE_DIR: cache }
  const dying = { NODE_OPTIONS: `--import ${deathPoint}`, PH_TEST_DEATH: JSON.stringify(death) }
  return phProcess(['download', '-', '--to', to], { env: { ...own, ...dying }, stdin: names })
}

let counted: Promise<ClientSteps> | undefined
/** Steps of a download that nothing interrupts. */
async function countSteps(): Promise<ClientSteps> {
  const { code, stderr } = await download(newMachine(), await library())
  expect(code, stderr).toBe(0)
  return JSON.parse(/^steps: (.*)$/m.exec(stderr)?.[1] ?? '')
}

/** The death at a share of all steps of a kind. */
async function share(kind: 'disk' | 'wire', part: number): Promise<ClientDeath> {
  counted ??= countSteps()
  return { kind, step: Math.max(1, Math.floor((await counted)[kind] * part)) }
}
const placing = (step: number): ClientDeath => ({ kind: 'disk', step, at: '^link .*\\.ph-download-.* .*Content/' })

const moments: [when: string, () => ClientDeath | Promise<ClientDeath>][] = [
  ...[0.3, 0.5, 0.85].map((part): [string, () => Promise<ClientDeath>] => [
    `after ${part} of its steps on the disk`,
    () => share('disk', part),
  ]),
  ...[0.3, 0.6, 0.9].map((part): [string, () => Promise<ClientDeath>] => [
    `after ${part} of its steps on the wire`,
    () => share('wire', part),
  ]),
  ...[1, 12].map((step): [string, () => ClientDeath] => [`before it places file ${step}`, () => placing(step)]),
]

const isStaging = (path: string): boolean => path.startsWith('.ph-download-')
/** Hashes of whole files that the machine has, placed or in its cache. */
function arrived({ to, cache }: Machine): Set<string> {
  const placed = Object.entries(filesBelow(to)).filter(([path]) => !isStaging(path))
  const cached = Object.entries(filesBelow(cache)).filter(([path]) => !path.includes('incoming'))
  return new Set([...placed, ...cached].map(([, bytes]) => sha256(bytes)))
}

test.each(moments)('killed %s, the same download brings the rest and leaves nothing else', async (_when, moment) => {
  const fetched: string[] = []
  const { url, key, whole } = await library()
  const wire = await startProxy(server.url, (sent) => {
    for (const [, hash = ''] of sent.matchAll(/GET \/storage\/\S*?([0-9a-f]{64})/g)) fetched.push(hash)
    return undefined
  })
  const target = { url: wire.url(url), key }
  const machine = newMachine()
  const killed = await download(machine, target, await moment())
  expect(killed.stderr).toContain('died before: ')
  for (const [path, bytes] of Object.entries(filesBelow(machine.to)))
    if (!isStaging(path)) expect(bytes.equals(whole[path] ?? Buffer.alloc(0)), path).toBe(true)
  const there = arrived(machine)
  fetched.length = 0
  const { code, stderr } = await download(machine, target)
  expect(code, stderr).toBe(0)
  expect(filesBelow(machine.to)).toEqual(whole)
  expect(readdirSync(machine.to)).toEqual(['Content'])
  expect(Object.keys(filesBelow(machine.cache)).filter((path) => path.includes('/incoming/'))).toEqual([])
  expect(fetched.filter((hash) => there.has(hash))).toEqual([])
})
