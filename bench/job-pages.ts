/** Pages of 50 entries per second: ours beside a bare route that joins stored JSON texts, from the same kind of database, in the same rounds. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntryPage } from '../client/entries/pages.ts'
import { PhAsker } from './ask-ph.ts'
import { freshDatabase, newKeys, type PhServer } from './ph.ts'
import { startAtAddress } from './processes.ts'
import { pageSize } from './search-rows.ts'
import { median } from './table.ts'
import { type Asked, type Load, rateOf, writeScript } from './wrk.ts'

const pages = 400
const connections = 16

/** Several people: requests of one key wait for each other where they are counted. */
export const pageKeys: readonly string[] = newKeys(16)

export interface PageRates {
  ours: number
  bare: number
  /** Ours to the bare one's of the same round. */
  share: number
}

interface Round {
  scratch: string
  /** Where the bare one keeps its table; without it, in PGlite. */
  database: string | undefined
  rounds: number
  seconds: number
}

/** `server` knows `pageKeys`. */
export async function ratePages(server: Pick<PhServer, 'url' | 'key'>, at: Round): Promise<PageRates> {
  const { scratch, rounds, seconds } = at
  mkdirSync(scratch, { recursive: true })
  const { docs, cursors, behind } = await readPages(server)
  const bare = await startBare(docs, at)
  const ours: Load = { url: server.url, script: writeScript(join(scratch, 'ours'), spread(pathsOf(cursors))) }
  const theirs: Load = { url: bare.url, script: writeScript(join(scratch, 'bare'), spread(behind)) }
  try {
    for (const load of [ours, theirs]) rateOf(load, { seconds: 2, connections })
    const rates = Array.from({ length: rounds }, () => ({
      ours: rateOf(ours, { seconds, connections }),
      bare: rateOf(theirs, { seconds, connections }),
    }))
    return {
      ours: median(rates.map((rate) => rate.ours)),
      bare: median(rates.map((rate) => rate.bare)),
      share: median(rates.map((rate) => rate.ours / rate.bare)),
    }
  } finally {
    await bare.end()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** What wrk sends to ask for the first pages by name, each with the next of `pageKeys`. */
export async function pageScript(server: Pick<PhServer, 'url' | 'key'>, scratch: string): Promise<string> {
  mkdirSync(scratch, { recursive: true })
  return writeScript(join(scratch, 'pages'), spread(pathsOf((await readPages(server)).cursors)))
}

const pathsOf = (cursors: readonly string[]): string[] =>
  cursors.map((cursor) => `/api/v1/entries?sort=name&limit=${pageSize}&cursor=${encodeURIComponent(cursor)}`)

const spread = (paths: readonly string[]): Asked[] =>
  paths.map((path, at) => ({ path, key: pageKeys[at % pageKeys.length] ?? '' }))

/** The first pages by name: their entries as texts, and where each page but the first begins. */
async function readPages(
  server: Pick<PhServer, 'url' | 'key'>,
): Promise<{ docs: string[]; cursors: string[]; behind: string[] }> {
  const ph = new PhAsker(server)
  const [docs, cursors, behind]: [string[], string[], string[]] = [[], [], []]
  try {
    for (let cursor: string | null = ''; cursor !== null && cursors.length < pages; ) {
      const { entries, next_cursor }: EntryPage = await ph.page(
        `/entries?sort=name&limit=${pageSize}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      const last = entries.at(-1)
      docs.push(...entries.map((entry) => JSON.stringify(entry)))
      if (last && next_cursor !== null) {
        cursors.push(next_cursor)
        behind.push(`/page?${new URLSearchParams({ name: last.name.toLowerCase(), id: String(last.id) })}`)
      }
      cursor = next_cursor
    }
  } finally {
    await ph.close()
  }
  return { docs, cursors: cursors.slice(0, -1), behind: behind.slice(0, -1) }
}

async function startBare(docs: readonly string[], { scratch, database }: Round): Promise<{ url: string; end(): Promise<void> }> {
  const file = join(scratch, 'docs.ndjson')
  writeFileSync(file, `${docs.join('\n')}\n`)
  const own = database ? await freshDatabase(database) : undefined
  const run = [
    process.execPath,
    join(import.meta.dirname, 'page-server.ts'),
    file,
    join(scratch, 'pages'),
    ...(own ? [own.url] : []),
  ]
  const { url, stop } = await startAtAddress({ run })
  const end = async (): Promise<void> => {
    await stop()
    await own?.drop()
  }
  return { url, end }
}
