/** Files that were never pushed or pulled here: the library may still know their bytes, their GUID or their place. */
import type { DeletedLineage, FoundVersion } from '../../contract/lineages.ts'
import { type Face, type KnownDetail, relation } from '../memory/current-versions.ts'
import type { FoundFaces } from '../memory/find-versions.ts'
import type { FileBased, ProjectMemory } from '../memory/project-memory.ts'
import { namingOf, type SendableFile } from '../project/project-file.ts'
import type { FoundFile } from '../project/scan.ts'
import { assetClassOf, lastingGuid } from '../push/plan/manifest-item.ts'
import type { Moved } from './moved.ts'
import { type StatusFile, toStatusFile, unknownFile } from './report.ts'

/** What `findFaces` is to be asked about them. */
export const questionsOf = (untracked: readonly KnownDetail[]) => ({
  hashes: [...new Set(untracked.map(({ hash }) => hash))],
  paths: [...new Set(untracked.flatMap(({ package: name }) => (name?.startsWith('/game/') ? [name] : [])))],
  guids: [...new Set(untracked.flatMap(({ guid }) => guid ?? []))],
})

export interface Known {
  found: Pick<FoundFaces, 'lineages' | 'versions' | 'deleted'>
  moved: ReadonlyMap<string, Moved>
  /** What is remembered of the files that were moved, by their old places. */
  former: ReadonlyMap<string, KnownDetail>
  /** The project that the files are of: of several props at one path its own counts. */
  project?: string | undefined
}

/** What is known of each untracked file, by file. */
export function identify(
  untracked: readonly KnownDetail[],
  { found, moved, former, project = '' }: Known,
): Map<string, StatusFile> {
  const versions = new Map(found.versions.map((version) => [version.content_hash, version]))
  const lineages = new Map(found.lineages.map((lineage) => [lineage.id, lineage]))
  const ownFirst = found.lineages.toSorted((a, b) => Number(isOf(b, project)) - Number(isOf(a, project)))
  const byPath = Map.groupBy(ownFirst, ({ origin_path }) => origin_path?.toLowerCase() ?? '')
  const deletions = new Deletions(found.deleted)
  const identified = untracked.map((untrackedFile): StatusFile => {
    const version = versions.get(untrackedFile.hash)
    const lineage = version && lineages.get(version.lineage_id)
    const deleted = deletions.of(untrackedFile, version)
    if (deleted && deleted.by !== 'path') return toDeleted(untrackedFile, deleted)
    const way = moved.get(untrackedFile.file)
    const before = former.get(way?.from ?? '')
    if (version && lineage) {
      const seen = byContent(untrackedFile, version, lineage)
      return before?.lineageId === lineage.id && seen.state === 'current' ? { ...seen, state: 'moved' } : seen
    }
    if (way && before) return byMove(untrackedFile, before, way)
    const there = byPath.get(untrackedFile.package ?? '-')?.find(({ source_ext }) => source_ext === sourceExtOf(untrackedFile))
    if (!there?.entry_id && deleted) return toDeleted(untrackedFile, deleted)
    return { ...unknownFile(untrackedFile), ...(there ? { known_by: 'path', ...faceFields(there) } : {}) }
  })
  return new Map(identified.map((file) => [file.file, file]))
}

type Found = FoundFaces['lineages'][number]

const isOf = ({ face_pushed_from: from }: Found, project: string): boolean => from?.toLowerCase() === project.toLowerCase()

const faceFields = ({ id, entry_id, face_object_id, face_content_hash, face_pushed_from: pushed_from }: Found) => ({
  lineage_id: id,
  entry_id,
  face_object_id,
  face_content_hash,
  ...(pushed_from === undefined ? {} : { pushed_from }),
})

const sourceExtOf = ({ file }: Pick<KnownDetail, 'file'>): string | null => {
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase()
  return extension === 'uasset' || extension === 'umap' ? null : extension
}

interface KnownDeleted {
  by: 'memory' | 'content' | 'guid' | 'path'
  lineage: DeletedLineage | undefined
}

/** What the library says of deleted props, by what their files are known by. */
class Deletions {
  readonly #lineages: ReadonlyMap<string, DeletedLineage>
  readonly #hashes: ReadonlyMap<string, DeletedLineage>
  readonly #guids: ReadonlyMap<string, DeletedLineage>
  readonly #paths: ReadonlyMap<string, DeletedLineage>

  /** The latest first. */
  constructor(deleted: readonly DeletedLineage[]) {
    const by = (keysOf: (one: DeletedLineage) => readonly string[]) =>
      new Map(deleted.toReversed().flatMap((one) => keysOf(one).map((key) => [key, one] as const)))
    this.#lineages = by(({ lineage_id }) => [lineage_id])
    this.#hashes = by(({ content_hashes }) => content_hashes)
    this.#guids = by(({ package_guids }) => package_guids)
    this.#paths = by(({ origin_paths }) => origin_paths.map((place) => `${place.origin_path}.${place.source_ext ?? ''}`))
  }

  /** Bytes count most, then what is remembered, then the GUID; the place only where there is no GUID. */
  of({ hash, guid, file, package: name, deleted, ...known }: KnownDetail, version: FoundVersion | undefined) {
    const ofBytes = this.#hashes.get(hash) ?? (version && this.#lineages.get(version.lineage_id))
    if (ofBytes) return { by: 'content', lineage: ofBytes } as const
    if (deleted !== null) return { by: 'memory', lineage: this.#lineages.get(known.lineageId ?? '') } as const
    const ofGuid = guid === null ? undefined : this.#guids.get(guid)
    if (ofGuid) return { by: 'guid', lineage: ofGuid } as const
    const ofPlace = guid === null && name !== null ? this.#paths.get(`${name}.${sourceExtOf({ file }) ?? ''}`) : undefined
    return ofPlace && ({ by: 'path', lineage: ofPlace } as const)
  }
}

/** What it says of a file that only memory knows is remembered with its lineage. */
function toDeleted(untrackedFile: KnownDetail, { by, lineage }: KnownDeleted): StatusFile {
  if (!lineage) return toStatusFile(untrackedFile, 'deleted')
  const { name, at, by: deletedBy, lineage_id } = lineage
  return { ...unknownFile(untrackedFile), state: 'deleted', known_by: by, lineage_id, deleted: { name, at, by: deletedBy } }
}

const byContent = (untrackedFile: KnownDetail, { object_id }: FoundVersion, lineage: Found): StatusFile => ({
  ...unknownFile(untrackedFile),
  ...faceFields(lineage),
  state: object_id === lineage.face_object_id ? 'current' : 'outdated',
  known_by: 'content',
  object_id,
})

/** The library will take it for the same prop (spec 4.9). */
const byMove = (
  untrackedFile: KnownDetail,
  { relation: bits, lineageId, objectId, entryId, faceId, faceHash }: KnownDetail,
  { by }: Moved,
): StatusFile => ({
  ...unknownFile(untrackedFile),
  // Its bytes are in no version, so neither of the hashes is its own.
  state: bits & relation.baseIsFace ? 'moved' : 'diverged',
  known_by: by,
  lineage_id: lineageId,
  entry_id: entryId,
  object_id: objectId,
  face_object_id: faceId,
  face_content_hash: faceHash,
})

export const faceOf = ({ id, face_object_id, face_content_hash, entry_id }: Found): Face => ({
  lineageId: id,
  objectId: face_object_id,
  hash: face_content_hash,
  entryId: entry_id,
})

/**
 * Files whose bytes are a version of the prop in their own place are remembered as that version: once they are edited, it is
 * known what they were edited from.
 */
export function adopt(
  untracked: readonly KnownDetail[],
  { memory, found, files }: { memory: ProjectMemory; found: Known['found']; files: ReadonlyMap<string, FoundFile> },
): void {
  const versions = new Map(found.versions.map((version) => [version.content_hash, version]))
  const lineages = new Map(found.lineages.map((lineage) => [lineage.id, lineage]))
  const deleted = new Set(found.deleted.map(({ lineage_id }) => lineage_id))
  const atHome = untracked.flatMap(({ file, hash, package: name }) => {
    const version = versions.get(hash)
    const lineage = version && lineages.get(version.lineage_id)
    return version && lineage?.origin_path?.toLowerCase() === name && !deleted.has(lineage.id) ? [{ file, version, lineage }] : []
  })
  // One by one: what is remembered of all of them would fill the known.
  const based = atHome.flatMap(({ file, version, lineage }): FileBased[] => {
    const [known, found] = [memory.find(file), files.get(file)]
    const facts = known?.facts
    if (!known || !found || !facts || facts.kind === 'refused') return []
    const { hash, size } = known
    const sendable: SendableFile = { found: found, hash, size, facts, naming: namingOf(found, facts), known: known }
    const base = {
      hash,
      guid: lastingGuid(sendable),
      assetClass: assetClassOf(sendable),
      lineageId: lineage.id,
      objectId: version.object_id,
      entryId: lineage.entry_id,
    }
    return [{ file, hash, edges: null, base }]
  })
  memory.saveBased(based)
}
