/** Files that were never pushed or pulled here: the library may still know their bytes, their GUID or their place. */
import type { FoundVersion } from '../../contract/lineages.ts'
import type { Face, KnownDetail, Namesake } from '../memory/current-versions.ts'
import type { FoundFaces } from '../memory/find-versions.ts'
import type { FileBased, ProjectMemory } from '../memory/project-memory.ts'
import { namingOf, type SendableFile } from '../project/project-file.ts'
import type { FoundFile } from '../project/scan.ts'
import { assetClassOf, lastingGuid } from '../push/plan/manifest-item.ts'
import { judge, type StatusFile } from './report.ts'

/** What `findFaces` is to be asked about them. */
export const questionsOf = (untracked: readonly KnownDetail[]) => ({
  hashes: [...new Set(untracked.map(({ hash }) => hash))],
  paths: [...new Set(untracked.flatMap(({ package: name }) => (name?.startsWith('/game/') ? [name] : [])))],
})

export interface Known {
  found: Pick<FoundFaces, 'lineages' | 'versions'>
  namesakes: readonly Namesake[]
  /** What is remembered of the files in `namesakes`' places of old that are not there any more. */
  former: ReadonlyMap<string, KnownDetail>
}

/** What is known of each untracked file, by file. */
export function identify(untracked: readonly KnownDetail[], { found, namesakes, former }: Known): Map<string, StatusFile> {
  const versions = new Map(found.versions.map((version) => [version.content_hash, version]))
  const lineages = new Map(found.lineages.map((lineage) => [lineage.id, lineage]))
  const byPath = Map.groupBy(found.lineages, ({ origin_path }) => origin_path?.toLowerCase() ?? '')
  const fromOf = new Map(namesakes.map(({ file, from }) => [file, from]))
  const identified = untracked.map((untrackedFile): StatusFile => {
    const version = versions.get(untrackedFile.hash)
    const lineage = version && lineages.get(version.lineage_id)
    if (version && lineage) return byContent(untrackedFile, version, lineage)
    const moved = former.get(fromOf.get(untrackedFile.file) ?? '')
    if (moved) return byGuid(untrackedFile, moved)
    const there = byPath.get(untrackedFile.package ?? '-')?.find(({ source_ext }) => source_ext === sourceExtOf(untrackedFile))
    return { ...unknown(untrackedFile), ...(there ? { known_by: 'path', ...faceFields(there) } : {}) }
  })
  return new Map(identified.map((file) => [file.file, file]))
}

type Found = FoundFaces['lineages'][number]

const faceFields = ({ id, entry_id, face_object_id, face_content_hash }: Found) => ({
  lineage_id: id,
  entry_id,
  face_object_id,
  face_content_hash,
})

const sourceExtOf = ({ file }: KnownDetail): string | null => {
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase()
  return extension === 'uasset' || extension === 'umap' ? null : extension
}

const unknown = ({ file, hash }: KnownDetail): StatusFile => ({
  file,
  state: 'unknown',
  content_hash: hash,
  known_by: null,
  lineage_id: null,
  entry_id: null,
  object_id: null,
  face_object_id: null,
  face_content_hash: null,
})

const byContent = (untrackedFile: KnownDetail, { object_id }: FoundVersion, lineage: Found): StatusFile => ({
  ...unknown(untrackedFile),
  ...faceFields(lineage),
  state: object_id === lineage.face_object_id ? 'identical' : 'newer',
  known_by: 'content',
  object_id,
})

/** A package keeps its GUID when it is moved in the editor; the library will take it for the same prop (spec 4.9). */
const byGuid = (
  untrackedFile: KnownDetail,
  { relation, lineageId, objectId, entryId, faceId, faceHash }: KnownDetail,
): StatusFile => ({
  ...unknown(untrackedFile),
  // Its bytes are in no version, so neither of the hashes is its own.
  state: judge(relation & ~(8 | 16)),
  known_by: 'guid',
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
  const atHome = untracked.flatMap(({ file, hash, package: name }) => {
    const version = versions.get(hash)
    const lineage = version && lineages.get(version.lineage_id)
    return version && lineage && lineage.origin_path?.toLowerCase() === name ? [{ file, version, lineage }] : []
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
