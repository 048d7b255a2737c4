/** One look at the library for `ph status`: what became of the versions that a project's files belong to. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Deletion } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'
import { confirmBases } from '../memory/confirm-bases.ts'
import { type Faces, type KnownDetail, type KnownRow, relation } from '../memory/current-versions.ts'
import type { FeedPosition } from '../memory/feed.ts'
import { type FoundFaces, findFaces } from '../memory/find-versions.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { FoundFile } from '../project/scan.ts'
import { findProjectName } from '../project/unreal-project.ts'
import { findMoved } from './moved.ts'
import { followFaces } from './news.ts'
import type { StatusFile } from './report.ts'
import { adopt, faceOf, identify, questionsOf } from './untracked.ts'

export interface LookParts {
  root: string
  api: Api
  memory: ProjectMemory
  faces: Faces
}

/** Files to look at, by their path below the root. */
export type Files = ReadonlyMap<string, FoundFile>

/** Reading a page of news is worth it for so many files; asking about each of them again takes less beyond. */
const filesPerPage = 1000

/**
 * Brings what is remembered of the library up to date: by what happened since the last look, or, where nothing counts that is
 * remembered, by asking about every lineage and every version. Always asks something, so that a library out of reach is known before files are read.
 */
export async function bringUpToDate(parts: LookParts): Promise<void> {
  const { api, memory, faces } = parts
  if (await followSince(parts)) return
  faces.clear()
  const confirmed = await confirmBases(api, memory)
  const lineageIds = unasked(faces.rows())
  const found = confirmed ?? (await findFaces(api, { lineageIds, hashes: [], paths: [] }))
  faces.save(lineageIds, found.lineages.map(faceOf), deletionsOf(lineageIds, found))
  await beginFollowing(parts, found)
}

async function followSince({ api, memory, faces }: LookParts): Promise<boolean> {
  const position = faces.position()
  if (!position) return false
  const mostPages = () => 2 + Math.ceil(memory.count() / filesPerPage)
  const news = await followFaces(api, { position, witness: memory.newestBase(), mostPages })
  if (!news) return false
  if (news.position.cursor !== position.cursor || news.faces.size > 0) faces.update(news.faces, news.position)
  return true
}

/** Of lineages that were asked about. */
function deletionsOf(requested: readonly string[], { deleted }: FoundFaces): Map<string, Deletion> {
  const asked = new Set(requested)
  return new Map(deleted.flatMap((one) => (asked.has(one.lineage_id) ? [[one.lineage_id, one] as const] : [])))
}

const { based, looked, there, leftOut, redirector } = relation
const isNobodys = (bits: number): boolean => (bits & (based | leftOut | redirector)) === 0
/** The library was asked for its lineage and has none, or none any more. */
const isOrphan = (bits: number): boolean => (bits & (based | looked | there | redirector)) === (based | looked)

/** Lineages of files here that the library was not asked about yet. */
function unasked(rows: readonly KnownRow[]): string[] {
  const ids = new Set<string>()
  for (const [, , bits, lineageId] of rows) if ((bits & (based | looked)) === based && lineageId !== null) ids.add(lineageId)
  return [...ids]
}

function filesWhere(rows: readonly KnownRow[], files: Files, test: (bits: number) => boolean): Set<string> {
  const found = new Set<string>()
  for (const [file, , bits] of rows) if (test(bits) && files.has(file)) found.add(file)
  return found
}

/**
 * Asks the library what it was not asked yet: current versions of lineages that are new here, and whether it knows the bytes of
 * files that belong to none. Gives what is known of these, by file; undefined when there was nothing to ask.
 */
export async function askLibrary(
  parts: LookParts,
  files: Files,
  rows: readonly KnownRow[],
): Promise<ReadonlyMap<string, StatusFile> | undefined> {
  const { api, faces } = parts
  const lineageIds = unasked(rows)
  const nobodys = filesWhere(rows, files, (bits) => isNobodys(bits) || isOrphan(bits))
  if (nobodys.size + lineageIds.length === 0) return undefined
  const untracked = faces.details(nobodys)
  const found = await findFaces(api, { lineageIds, ...questionsOf(untracked) })
  faces.save(lineageIds, found.lineages.map(faceOf), deletionsOf(lineageIds, found))
  const identified = identifyAll(parts, { files, found, untracked })
  adopt(untracked, { memory: parts.memory, found, files })
  return identified
}

/** From where the feed stood before anything was asked, else from where the last push left it; without either all is asked each time. */
async function beginFollowing(
  { api, faces, memory }: LookParts,
  { cursor, library_epoch }: Pick<FoundFaces, 'cursor' | 'library_epoch'>,
): Promise<void> {
  const pushed = memory.recall('feed') as FeedPosition | null | undefined
  if (cursor === undefined) {
    if (pushed) faces.remember(pushed)
    return
  }
  const beginning: FeedPosition = { cursor, head: null, epoch: library_epoch?.id }
  // The record at that place proves later that it still is the same library.
  const before = { ...beginning, cursor: Math.max(cursor - 1, 0) }
  const news = cursor === 0 ? undefined : await followFaces(api, { position: before, witness: undefined, mostPages: () => 2 })
  if (news) faces.update(news.faces, news.position)
  else faces.remember(beginning)
}

function identifyAll(
  { faces, root }: LookParts,
  { files, found, untracked }: { files: Files; found: FoundFaces; untracked: readonly KnownDetail[] },
): Map<string, StatusFile> {
  const isGone = (file: string) => !files.has(file) && !existsSync(join(root, file))
  const moved = findMoved(untracked, faces, isGone)
  const former = faces.details(new Set([...moved.values()].map(({ from }) => from)))
  const alive = former.filter(({ relation: bits }) => bits & there)
  const project = findProjectName(root)
  return identify(untracked, { found, moved, former: new Map(alive.map((one) => [one.file, one])), project })
}
