/** What must be true of a library at any moment, whatever happened to its server: asked through the API, and of its files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Caller, callAs, type Json } from './api.ts'
import { sha256 } from './push.ts'
import type { Target } from './unreal-project.ts'

export interface LibraryContents {
  entries: Json[]
  /** With their versions, by id. */
  lineages: Map<string, Json>
  objects: Json[]
}

/** Lists everything there is, and fails where something is half there or the feeds tell of something else. */
export async function requireWholeLists({ url, key }: Target): Promise<LibraryContents> {
  const api = callAs(url, key)
  const entries = await pagesOf(api, '/entries', 'entries')
  const changes = await changesOf(api)
  const told = (entity: string) => changes.filter((change) => change.entity === entity)
  const lineages = new Map<string, Json>(told('object').map(({ record }) => [record?.id, record]))
  const objects = [...lineages.values()].flatMap((lineage) => lineage.objects)
  for (const entry of entries) requireWholeEntry(entry, lineages.get(entry.lineage_id))
  const idsOf = (records: Json[], name: string) => records.map((record) => record[name]).sort((a, b) => a - b)
  expect(idsOf(told('entry'), 'entity_id')).toEqual(idsOf(entries, 'id'))
  expect(idsOf(told('object'), 'entity_id')).toEqual(idsOf(objects, 'object_id'))
  expect(entries).toHaveLength(lineages.size)
  const events = await pagesOf(api, '/activity', 'events')
  const commits = events.filter(({ event_type }) => event_type === 'push.commit')
  expect(commits.reduce((sum, { count }) => sum + count, 0)).toBe(objects.length)
  return { entries, lineages, objects }
}

/** Of its versions one is current, and parents are among them. */
function requireWholeEntry(entry: Json, lineage: Json | undefined): void {
  expect(lineage, `no version of entry ${entry.id} was told`).toBeDefined()
  expect([lineage.entry_id, lineage.face_object_id]).toEqual([entry.id, entry.object_id])
  const ids = lineage.objects.map(({ object_id }: Json) => object_id)
  expect(lineage.objects.filter(({ is_face }: Json) => is_face).map(({ object_id }: Json) => object_id)).toEqual([
    entry.object_id,
  ])
  for (const { parent_object_id } of lineage.objects) expect([null, ...ids]).toContain(parent_object_id)
}

/** The same, and everything can be fetched: closures, bytes that are what their hash says, pictures. */
export async function requireWholeLibrary(library: Target): Promise<LibraryContents> {
  const contents = await requireWholeLists(library)
  const api = callAs(library.url, library.key)
  for (const { content_hash, blob_size } of contents.objects) {
    const bytes = await fetchThrough(api, `/blobs/${content_hash}`)
    expect([bytes.length, sha256(bytes)]).toEqual([blob_size, content_hash])
  }
  for (const { id, has_thumbnail } of contents.entries) {
    expect((await api.get(`/entries/${id}/closure`)).status).toBe(200)
    if (has_thumbnail) expect((await fetchThrough(api, `/entries/${id}/thumbnail`)).toString('latin1', 1, 4)).toBe('PNG')
  }
  return contents
}

/** The whole change feed with the records as they are now. */
async function changesOf(api: Caller): Promise<Json[]> {
  const changes: Json[] = []
  for (let cursor = 0; ; ) {
    const { body } = await api.get(`/catalog/changes?limit=1000&expand=true&cursor=${cursor}`)
    if (body.changes.length === 0) return changes
    changes.push(...body.changes)
    cursor = body.next_cursor
  }
}

async function pagesOf(api: Caller, path: string, name: string): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await api.get(`${path}?limit=200${cursor}`)
    expect(status).toBe(200)
    all.push(...body[name])
    if (body.next_cursor === null) return all
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

async function fetchThrough(api: Caller, path: string): Promise<Buffer> {
  const { status, headers } = await api.get(path)
  expect([path, status]).toEqual([path, 302])
  const answer = await fetch(headers.get('location') ?? '')
  expect([path, answer.status]).toEqual([path, 200])
  return Buffer.from(await answer.arrayBuffer())
}

/** Every stored file is whole under its hash, and nothing that was begun is left over. Of a server that rests; gives the hashes. */
export function requireWholeFiles(dataDir: string): Set<string> {
  const storage = join(dataDir, 'storage')
  const hashes = new Set<string>()
  for (const one of readdirSync(storage, { recursive: true, withFileTypes: true })) {
    const path = join(one.parentPath, one.name)
    if (!one.isFile() || !path.includes('/blobs/')) continue
    expect(sha256(readFileSync(path)), path).toBe(one.name)
    hashes.add(one.name)
  }
  const incoming = readdirSync(join(storage, 'incoming'), { recursive: true }).map(String)
  expect(incoming.filter((name) => !/^p-\w+(\/in-use\.sqlite.*)?$/.test(name))).toEqual([])
  expect(incoming.filter((name) => /^p-\w+$/.test(name))).toHaveLength(1)
  return hashes
}
