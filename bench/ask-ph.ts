/** The questions as a client asks them: HTTP over one kept connection, until the last byte of the answer is there. */
import { Client } from 'undici'
import type { EntryPage } from '../client/entries/pages.ts'
import type { EntrySummary } from '../contract/entries.ts'
import type { Behind, Listing } from './search-questions.ts'
import { pagePath } from './search-questions.ts'

export class PhAsker {
  readonly #client: Client
  readonly #headers: Record<string, string>

  constructor({ url, key }: { url: string; key: string }) {
    this.#client = new Client(url, { pipelining: 1 })
    this.#headers = { authorization: `Bearer ${key}`, 'x-ph-client': 'bench/1' }
  }

  /** The bytes of the answer, which has to be a 200. */
  async bytes(path: string): Promise<Uint8Array> {
    const { statusCode, body } = await this.#client.request({ path: `/api/v1${path}`, method: 'GET', headers: this.#headers })
    const bytes = await body.bytes()
    if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}: ${Buffer.from(bytes).toString().slice(0, 500)}`)
    return bytes
  }

  /** Sends JSON; the answer has to be a success. */
  async send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
    const { statusCode, body: answer } = await this.#client.request({
      path: `/api/v1${path}`,
      method,
      headers: { ...this.#headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await answer.text()
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text.slice(0, 500)}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  async page(path: string): Promise<EntryPage> {
    return JSON.parse(Buffer.from(await this.bytes(path)).toString()) as EntryPage
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}

/** A page deep in a list, for us by its cursor, for others by what stands before it. */
export interface DeepPage {
  number: number
  cursor: string
  behind: Behind
}

const longest = 200

/** The page of that number, each `size` entries long, or the last full one before it; undefined where there is only one. */
export async function findPage(
  ph: PhAsker,
  listing: Listing,
  { number, size }: { number: number; size: number },
): Promise<DeepPage | undefined> {
  let found: DeepPage | undefined
  let [cursor, passed, left] = ['', 0, (number - 1) * size]
  while (left > 0) {
    const limit = Math.min(longest, left)
    const { entries, next_cursor } = await ph.page(`${pagePath(listing)}&limit=${limit}${cursor}`)
    const last = entries.at(-1)
    if (!last || next_cursor === null) break
    passed += entries.length
    left -= entries.length
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`
    if (passed % size === 0)
      found = { number: passed / size + 1, cursor, behind: { value: sortedBy(last, listing), id: last.id } }
  }
  return found
}

function sortedBy(entry: EntrySummary, { sort }: Listing): string | number {
  if (sort === 'name') return entry.name.toLowerCase()
  if (sort === 'blob_size') return entry.blob_size
  if (sort === 'tri_count') return entry.metadata.tri_count ?? 0
  return Date.parse(entry[sort]) / 1000
}
