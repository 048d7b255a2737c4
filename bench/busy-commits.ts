/**
 * How long readers of one workspace wait while another workspace commits as much as it can: many full commits at once, from several keys.
 *   [bin/postgres.sh] npx node bench/busy-commits.ts SCRATCH [--runs 3] [--commits 24] [--items 2000]
 * Prints what the readers waited in each round, and how the commits went. Without PH_TEST_DATABASE_URL: PGlite.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ManifestItem } from '../contract/push.ts'
import { uploadedItems } from './library.ts'
import { freshDatabase, newKeys, ph } from './ph.ts'
import { startAtAddress } from './processes.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    commits: { type: 'string', default: '24' },
    items: { type: 'string', default: '2000' },
  },
})
const [scratch = '/var/tmp/busy-commits'] = positionals
const [commits, items] = [Number(values.commits), Number(values.items)]
const pauseMs = 10
const [readerKey = '', ...writerKeys] = newKeys(1 + Math.min(6, commits))

const workspaceOf = (slug: string, keys: readonly string[]) => ({
  slug,
  name: slug,
  members: [{ email: `bo@${slug}.test`, name: 'bo', role: 'owner' }],
  keys: keys.map((key, index) => ({ name: `key ${index}`, member: `bo@${slug}.test`, scope: 'write', key })),
})

interface Wait {
  path: string
  ms: number
  status: number
}

/** Asks one address again and again until it is told to stop. */
async function readOn(url: string, path: string, state: { isOver: boolean }): Promise<Wait[]> {
  const waits: Wait[] = []
  while (!state.isOver) {
    const started = performance.now()
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${readerKey}` } })
    await answer.arrayBuffer()
    waits.push({ path, ms: performance.now() - started, status: answer.status })
    await sleep(pauseMs)
  }
  return waits
}

async function commitAll(url: string, manifests: readonly ManifestItem[][]): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  await Promise.all(
    manifests.map(async (manifest, index) => {
      const answer = await fetch(`${url}/w/busy/api/v1/push/commit`, {
        method: 'POST',
        headers: { authorization: `Bearer ${writerKeys[index % writerKeys.length]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ items: manifest }),
      })
      await answer.arrayBuffer()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }),
  )
  return statuses
}

const told = (waits: readonly Wait[]): string => {
  const sorted = waits.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  const failed = waits.filter(({ status }) => status !== 200).length
  return `${waits[0]?.path}: ${waits.length} reads, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms${failed ? `, ${failed} failed` : ''}`
}

/** The readers ask while the commits are under way. */
async function measure(what: string, manifests: readonly ManifestItem[][]): Promise<void> {
  const state = { isOver: false }
  const paths = ['/w/calm/api/v1/packs', '/w/calm/api/v1/entries', '/w/calm/api/v1/auth/me', '/readyz']
  const readers = paths.map((path) => readOn(server.url, path, state))
  const started = performance.now()
  const statuses = await commitAll(server.url, manifests)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  state.isOver = true
  process.stdout.write(`${what}: ${seconds} s, answers ${JSON.stringify([...statuses])}\n`)
  for (const reader of readers) process.stdout.write(`  ${told(await reader)}\n`)
}

mkdirSync(scratch, { recursive: true })
const database = process.env.PH_TEST_DATABASE_URL && (await freshDatabase(process.env.PH_TEST_DATABASE_URL))
const provision = join(scratch, 'provision.json')
writeFileSync(provision, JSON.stringify({ workspaces: [workspaceOf('busy', writerKeys), workspaceOf('calm', [readerKey])] }))
const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
const server = await startAtAddress(
  ph(['server', 'start', '--port', '0', '--data', join(scratch, 'data'), '--provision', provision], {
    ...lifted,
    ...(database ? { PH_DATABASE_URL: database.url } : {}),
  }),
)
try {
  for (let round = 0; round < Number(values.runs); round++) {
    const manifests: ManifestItem[][] = []
    const busy = { ...server, key: writerKeys[0] ?? '', url: `${server.url}/w/busy` } as Parameters<typeof uploadedItems>[0]
    for (let commit = 0; commit < commits; commit++) {
      const names = Array.from({ length: items }, (_, index) => `SM_${round}_${commit}_${index}`)
      manifests.push(await uploadedItems(busy, names))
    }
    await measure(`${commits} commits of ${items} new items`, manifests)
    await measure(`the same again`, manifests)
  }
} finally {
  await server.stop()
  if (database) await database.drop()
  rmSync(scratch, { recursive: true, force: true })
}
