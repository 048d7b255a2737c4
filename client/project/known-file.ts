/** What is remembered of one file: the row of memory/schema/project-memory.sql, and what the rest of the client makes of it. */
import type { FileFacts } from './file-facts.ts'

/** The version in the library that a file is, when its hash is the file's, or was edited from. */
export interface Base {
  hash: string
  guid: string | null
  assetClass: string | null
  lineageId: string
  objectId: number
  entryId: number | null
}

export interface KnownFile {
  file: string
  stat: string
  hash: string
  size: number
  settled: boolean
  packageName: string | null
  guid: string | null
  base: Base | undefined
  /** It was placed as a read-only link into the content cache. */
  linked: boolean
  edges: string | null
  /** Null: its bytes came from the library, and nobody has looked into them yet. */
  facts: FileFacts | null
}

export interface KnownRow {
  file: string
  stat: string
  hash: string
  size: number
  settled: number
  package: string | null
  guid: string | null
  base_hash: string | null
  base_guid: string | null
  base_class: string | null
  lineage_id: string | null
  object_id: number | null
  entry_id: number | null
  linked: number
  edges: string | null
  facts: string | null
}

/** The columns of a base, as parameters of a statement. */
export const columnsOf = (base: Base) => ({
  baseHash: base.hash,
  baseGuid: base.guid,
  baseClass: base.assetClass,
  lineageId: base.lineageId,
  objectId: base.objectId,
  entryId: base.entryId,
})

export function toKnown(row: KnownRow): KnownFile {
  const { base_hash: hash, base_guid: guid, base_class: assetClass, lineage_id: lineageId, object_id: objectId } = row
  const base =
    hash !== null && lineageId !== null && objectId !== null
      ? { hash, guid, assetClass, lineageId, objectId, entryId: row.entry_id }
      : undefined
  return {
    file: row.file,
    stat: row.stat,
    hash: row.hash,
    size: row.size,
    settled: row.settled === 1,
    packageName: row.package,
    guid: row.guid,
    base,
    linked: row.linked === 1,
    edges: row.edges,
    facts: row.facts === null ? null : (JSON.parse(row.facts) as FileFacts),
  }
}
