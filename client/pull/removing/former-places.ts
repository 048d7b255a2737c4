/** Files that lie where their props were before someone moved or renamed them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '../../../contract/limits.ts'
import type { FoundVersion, Referrer } from '../../../contract/lineages.ts'
import { nameKey } from '../../../contract/names.ts'
import type { Api } from '../../http/api.ts'
import { findPlaces } from '../../memory/find-places.ts'
import { findFacesInBulk } from '../../memory/find-versions.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import type { KnownFile } from '../../project/known-file.ts'
import type { PullTarget } from '../target-project.ts'
import { findEditedFiles } from './edited-files.ts'
import { type LeavingFile, packageOf, type TakingAway, type TakingOptions, type TakingParts, takeAway } from './take-away.ts'

/** A file that a pull brings, or found in its place. */
export interface BroughtFile {
  file: string
  lineage_id: string
  object_id: number
}

interface Looking {
  target: PullTarget
  memory: ProjectMemory | undefined
  api: Pick<Api, 'lineages'>
  targetRoot: string
  signal?: AbortSignal | undefined
  /** See `TakingOptions`. */
  theirs?: TakingOptions['theirs']
}

/**
 * Of the props that a pull brings: their files at places where they were pushed from before, and are not any more. Where the project itself has the
 * prop there still, it stays. Servers that do not say where a version was pushed from know of none. Files of `theirs` to whose places nothing comes were
 * renamed here: they go too.
 */
export async function findFormerPlaces(looking: Looking, brought: readonly BroughtFile[]): Promise<LeavingFile[]> {
  const { memory } = looking
  const former = await findPushedFormer(looking, brought)
  const leaving = [...former, ...givenUpFiles(looking, { brought, former })]
  if (!memory || leaving.length === 0) return []
  const { target, api, signal } = looking
  const places = former.map(({ place }) => place)
  const known = places.length > 0 ? await findPlaces(api, target.project, [...new Set(places)]) : { referrers: [] }
  // Nobody says what still refers to them.
  if (!known) return []
  const referring = referrersHere(known.referrers, { target, memory, brought })
  const packages = new Map(leaving.map(({ file }) => [file, nameKey(packageOf(target, file))]))
  const { referrers, redirectors } = await findEditedFiles(new Set(packages.values()), { target, memory, signal })
  return leaving.flatMap(({ place, ...one }) => {
    // It was renamed here too, and what is in its old place is as it should be.
    if (redirectors.has(one.file)) return []
    const referredBy = referring.get(place ?? '') ?? referrers.get(packages.get(one.file) ?? '')
    return referredBy === undefined ? [one] : [{ ...one, referredBy }]
  })
}

/**
 * Who refers to each path, of what lies in this project: what does not comes with the redirector, or with the word that it is to be saved again. Where
 * there are more referrers than are named, any of them may be here.
 */
function referrersHere(
  referrers: readonly Referrer[],
  { target, memory, brought }: { target: PullTarget; memory: ProjectMemory; brought: readonly BroughtFile[] },
): Map<string, string> {
  const lineageIds = [...new Set(referrers.flatMap(({ lineage_id: id }) => id ?? []))]
  const remembered = memory.findByLineages(lineageIds).filter(({ file }) => existsSync(join(target.root, file)))
  const here = new Set([...remembered.map(({ base }) => base?.lineageId), ...brought.map(({ lineage_id: id }) => id)])
  const byPath = Map.groupBy(referrers, ({ path }) => path)
  return new Map(
    [...byPath].flatMap(([path, all]) => {
      const isCut = all.length >= limits.referrersNamed
      const found = all.find(({ lineage_id: id }) => id === undefined || here.has(id)) ?? (isCut ? all[0] : undefined)
      return found ? [[path, found.name ?? `version ${found.object_id}`]] : []
    }),
  )
}

interface Leaving {
  brought: readonly BroughtFile[]
  former: readonly LeavingFile[]
}

function givenUpFiles({ theirs = new Map() }: Looking, { brought, former }: Leaving): (LeavingFile & { place?: string })[] {
  const settled = new Set([...brought, ...former].map(({ file }) => nameKey(file)))
  return brought.flatMap(({ lineage_id: lineageId, file: to }) =>
    (theirs.get(lineageId) ?? []).flatMap((file: string) =>
      settled.has(nameKey(file)) ? [] : [{ file, lineageId, why: 'moved' as const, to, isGivenUp: true as const }],
    ),
  )
}

/** Those that a pull or push of this machine placed or sent there. */
async function findPushedFormer(
  { target, memory, api, targetRoot }: Looking,
  brought: readonly BroughtFile[],
): Promise<(LeavingFile & { place: string })[]> {
  const places = new Set(brought.map(({ file }) => nameKey(file)))
  const byLineage = new Map(brought.map((one) => [one.lineage_id, one]))
  const others = (memory?.findByLineages([...byLineage.keys()]) ?? []).filter(
    ({ file, base }) => base && !places.has(nameKey(file)) && existsSync(join(target.root, file)),
  )
  if (others.length === 0) return []
  const lineageIds = [...new Set(others.flatMap(({ base }) => base?.lineageId ?? []))]
  const found = await findFacesInBulk(api, { lineageIds, hashes: others.flatMap(({ base }) => base?.hash ?? []), paths: [] })
  const versions = new Map(found?.versions.map((version) => [version.content_hash, version]))
  const faces = new Map(found?.lineages.map((face) => [face.id, face]))
  return others.flatMap((one): (LeavingFile & { place: string })[] => {
    const { lineageId = '', hash = '' } = one.base ?? {}
    const [version, face, now] = [versions.get(hash), faces.get(lineageId), byLineage.get(lineageId)]
    if (!version?.origin_path || version.lineage_id !== lineageId || !face || face.face_object_id !== now?.object_id) return []
    const isThere = face.origin_path?.toLowerCase() === version.origin_path.toLowerCase()
    if (isThere || !liesWhere(one, version, { target, targetRoot })) return []
    return [{ file: one.file, lineageId, why: 'moved', to: now.file, place: placeOf(version) }]
  })
}

interface Brought {
  brought: readonly BroughtFile[]
  targetRoot: string
  jobId: number
  /** Called before anything is taken away. */
  onBegin(): Promise<unknown>
}

/** Takes such files away, as far as they may be. */
export async function takeAwayFormer(parts: TakingParts, { brought, targetRoot, jobId, onBegin }: Brought): Promise<TakingAway> {
  const leaving = await findFormerPlaces({ ...parts, ...parts.options, targetRoot }, brought)
  if (leaving.length === 0) return { taken: [], left: [] }
  await onBegin()
  return takeAway(parts, leaving, jobId)
}

const placeOf = ({ origin_path, source_ext }: FoundVersion): string =>
  `${origin_path?.toLowerCase()}${source_ext ? `.${source_ext}` : ''}`

/** Whether a file is where a version lands: a copy that someone made elsewhere is theirs. */
function liesWhere(
  { file }: KnownFile,
  { origin_path }: FoundVersion,
  { target, targetRoot }: Pick<Looking, 'target' | 'targetRoot'>,
): boolean {
  const path = `/Game/${file.slice(target.content.file.length + 1)}`.replace(/\.[^./]*$/, '')
  return (
    file.startsWith(`${target.content.file}/`) &&
    nameKey(path) === nameKey(targetRoot + (origin_path ?? '').slice('/Game'.length))
  )
}
