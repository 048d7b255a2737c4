/** Where the files of a pull land, and which of them have the same destination (spec 4.3; contract-gaps 4 and 9). Pure. */
import { type ApiError, validationError } from '../../contract/errors.ts'
import { notPlacedWarnings, whyNotPlaced } from '../../contract/file-kinds.ts'
import type { PullWarning } from '../../contract/pull-jobs.ts'
import { rootWarnings } from '../../contract/target-roots.ts'
import { extensionOf } from '../../formats/package-place.ts'
import type { PullFile } from '../rows/pull-job.ts'

export interface Destinations {
  files: PullFile[]
  warnings: PullWarning[]
}

/** What a person calls a file. */
export const titleOf = ({ asset_name, origin_path, content_hash }: PullFile): string =>
  origin_path ?? asset_name ?? `the file ${content_hash}`

/** What to know of where files land: another root than `/Game`, and files that no project gets, such as scripts from before the library refused them. */
export function placeWarnings(files: readonly PullFile[], targetRoot: string): PullWarning[] {
  const notPlaced = files.flatMap((file) => {
    const path = `${targetRoot}${file.origin_path?.slice('/Game'.length)}.${extensionOf(file)}`
    const why = whyNotPlaced(path.slice('/Game/'.length))
    return why === undefined ? [] : { path, object_id: file.object_id, why }
  })
  return [...rootWarnings(targetRoot), ...notPlacedWarnings(notPlaced)]
}

/** Compared with the extension and without regard to case, as the strictest of file systems does. */
const placeOf = (file: PullFile): string => `${file.origin_path}.${extensionOf(file)}`.toLowerCase()

/** Groups of files with the same destination. */
export const findClashes = (files: readonly PullFile[]): PullFile[][] =>
  [...Map.groupBy(files, placeOf).values()].filter((group) => group.length > 1)

/** Two files cannot have one destination: VALIDATION that names both. */
export function clashError(clashes: readonly PullFile[][]): ApiError {
  return validationError(
    clashes.map((group) => {
      const isOneProp = new Set(group.map(({ lineage_id }) => lineage_id)).size === 1
      const what = isOneProp ? 'versions of one prop' : 'different props'
      const which = group.map(({ object_id }) => object_id).join(' and ')
      const advice = isOneProp ? '; ask for one of them, or send prefer: "newest"' : ''
      const [first] = group
      const message = `${group.length} ${what} (${which}) would land at ${first ? titleOf(first) : ''}${advice}`
      return { path: 'entries', message, object_ids: group.map(({ object_id }) => object_id) }
    }),
  )
}

interface Choice {
  roots: readonly number[]
  /** Versions that were requested by id. */
  pinned: ReadonlySet<number>
  /** By version, what it needs. */
  needs: ReadonlyMap<number, readonly number[]>
}

/**
 * Lets the newest version stand for the others of its prop where they have the same destination, and leaves out what only those
 * needed. Different props, and two versions that were both requested by id, still clash.
 */
export function preferNewest(files: readonly PullFile[], { roots, pinned, needs }: Choice): Destinations {
  const byId = new Map(files.map((file) => [file.object_id, file]))
  const standIns = new Map<number, number>()
  const warnings: PullWarning[] = []
  for (;;) {
    const reached = reach(roots, needs, standIns)
    const kept = [...reached].flatMap((id) => byId.get(id) ?? [])
    const clashes = findClashes(kept)
    if (clashes.length === 0) return { files: kept, warnings }
    for (const group of clashes) {
      const newest = group.reduce((a, b) => (b.object_id > a.object_id ? b : a))
      const yielding = group.filter((file) => file !== newest)
      const isOneProp = yielding.every(({ lineage_id }) => lineage_id === newest.lineage_id)
      if (!isOneProp || group.filter(({ object_id }) => pinned.has(object_id)).length > 1) throw clashError([group])
      for (const older of yielding) {
        standIns.set(older.object_id, newest.object_id)
        warnings.push(newerVersionUsed(older, newest))
      }
    }
  }
}

const newerVersionUsed = (older: PullFile, newer: PullFile): PullWarning => ({
  type: 'newer_version_used',
  message: `${titleOf(newer)} comes in v${newer.version}, although v${older.version} is asked for too.`,
  lineage_id: newer.lineage_id,
  object_id: older.object_id,
  newer_object_id: newer.object_id,
})

/** Everything that the roots need, in the order of finding. */
function reach(roots: readonly number[], needs: Choice['needs'], standIns: ReadonlyMap<number, number>): Set<number> {
  const final = (id: number): number => {
    let at = id
    for (let next = standIns.get(at); next !== undefined; next = standIns.get(at)) at = next
    return at
  }
  const reached = new Set(roots.map(final))
  for (const id of reached) for (const to of needs.get(id) ?? []) reached.add(final(to))
  return reached
}
