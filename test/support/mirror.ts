/** Mirrors of real servers for tests, and whether they hold what the server lists. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Folders } from '../../client/folders.ts'
import { type Api, createApi } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { type Mirror, openMirror } from '../../client/mirror/mirror.ts'
import { lockedWith } from '../../client/mirror/offline-api.ts'
import { searchMirror } from '../../client/mirror/search/search.ts'
import type { EntryWithTags } from '../../contract/entries.ts'
import { afterFile } from './after-file.ts'

/** Of a machine of its own; gone after the test file. */
export function newFolders(): Folders {
  const root = mkdtempSync(join(tmpdir(), 'ph-mirror-'))
  afterFile(() => rmSync(root, { recursive: true, force: true }))
  return { config: `${root}/config`, state: `${root}/state`, cache: `${root}/cache` }
}

export const mirrorOf = (url: string, folders = newFolders()): Mirror => openMirror(folders, url)

export const callsOf = (url: string, key: string): Api => createApi(new Http({ url, key }))

/** Every entry with its tags, by id: of the server by its export, of the mirror from its tables. */
export async function listed(api: Api): Promise<EntryWithTags[]> {
  const entries: EntryWithTags[] = []
  for await (const line of api.changes.export()) if ('id' in line) entries.push(line)
  return entries.sort((a, b) => a.id - b.id)
}

export function held(mirror: Mirror): EntryWithTags[] {
  const rows = mirror.loaded.prepare('select summary, tags from records order by id').all() as { summary: string; tags: string }[]
  return rows.map(({ summary, tags }) => ({ ...JSON.parse(summary), tags: JSON.parse(tags) }))
}

/** Everything that it holds is as the server lists it, and the words lead to it. */
export async function expectSame(mirror: Mirror, api: Api): Promise<void> {
  const expected = await listed(api)
  expect(held(mirror)).toEqual(expected)
  const ids = (sql: string) => mirror.loaded.prepare(sql).pluck().all()
  expect(ids('select id from entries order by id')).toEqual(expected.map(({ id }) => id))
  expect(ids('select rowid from words order by rowid')).toEqual(expected.map(({ id }) => id))
  const { locks } = await api.locks.list({ active: true, limit: 200 })
  expect(
    lockedWith(mirror)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(locks.map(({ id }) => id).sort())
  const [some] = expected
  if (some) expect(searchMirror(mirror, { name: [some.name], include_deprecated: true }).total).toBeGreaterThan(0)
}
