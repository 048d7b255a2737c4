/** Where the files of a pull land, and which of them have the same destination (spec 4.3; contract-gaps 4 and 9). Pure. */
import { notPlacedWarnings, whyNotPlaced } from '../../contract/file-kinds.ts'
import { newerVersionUsed, newestOf, ownPropUsed } from '../../contract/pull-clashes.ts'
import type { PullWarning } from '../../contract/pull-jobs.ts'
import { rootWarnings } from '../../contract/target-roots.ts'
import { extensionOf } from '../../formats/package-place.ts'
import { placeKey } from '../rows/places.ts'
import type { PullFile } from '../rows/pull-job.ts'

export interface Destinations {
  files: PullFile[]
  warnings: PullWarning[]
}

/** What a person calls a file. */
export const titleOf = ({ asset_name, origin_path, package_name, content_hash }: PullFile): string =>
  origin_path ?? package_name ?? asset_name ?? `the file ${content_hash}`

/** What to know of where files land: another root than `/Game`, and files that no project gets, such as scripts from before the library refused them. */
export function placeWarnings(files: readonly PullFile[], targetRoot: string): PullWarning[] {
  const notPlaced = files.flatMap((file) => {
    const { mount = '/Game', package_name } = file
    const path = `${package_name ?? `${targetRoot}${file.origin_path?.slice('/Game'.length)}`}.${extensionOf(file)}`
    const why = whyNotPlaced(path.slice(mount.length + 1))
    return why === undefined ? [] : { path, object_id: file.object_id, why }
  })
  return [...rootWarnings(targetRoot), ...notPlacedWarnings(notPlaced)]
}

/** Compared with the extension and without regard to case, as the strictest of file systems does. */
const placeOf = (file: PullFile): string => `${file.origin_path ?? file.package_name}.${extensionOf(file)}`.toLowerCase()

/** Groups of files with the same destination. */
export const findClashes = (files: readonly PullFile[]): PullFile[][] =>
  [...Map.groupBy(files, placeOf).values()].filter((group) => group.length > 1)

/**
 * The same files without redirectors that lead to what lands in their own place: the prop has come back there, for this project or for another
 * that shares it.
 */
export function withoutReturned(files: readonly PullFile[], needs: Choice['needs']): PullFile[] {
  const redirectors = new Set(
    files.flatMap(({ asset_class, object_id }) => (asset_class === 'ObjectRedirector' ? object_id : [])),
  )
  const returned = new Set<PullFile>()
  for (const group of findClashes(files))
    for (const file of group) {
      const targets = redirectors.has(file.object_id) ? targetsOf(file.object_id, { needs, redirectors }) : undefined
      if (targets && group.some((other) => other !== file && targets.has(other.object_id))) returned.add(file)
    }
  return files.filter((file) => !returned.has(file))
}

/** Chains of redirectors are followed so far. */
const longestChain = 16

/** What a redirector leads to, by way of other redirectors too. */
function targetsOf(
  id: number,
  { needs, redirectors }: { needs: Choice['needs']; redirectors: ReadonlySet<number> },
): ReadonlySet<number> {
  const targets = new Set<number>()
  let open = [id]
  for (let step = 0; step < longestChain && open.length > 0; step++) {
    const found = new Set(open.flatMap((one) => needs.get(one) ?? [])).difference(targets)
    for (const one of found) targets.add(one)
    open = [...found].filter((one) => redirectors.has(one))
  }
  return targets
}

interface Choice {
  roots: readonly number[]
  /** Versions that were requested by id. */
  pinned: ReadonlySet<number>
  /** By version, what it needs. */
  needs: ReadonlyMap<number, readonly number[]>
  /** By path: the prop (lineage) that the project has there. */
  here: ReadonlyMap<string, string>
}

/**
 * Lets the newest version stand for the others of its prop where they have the same destination, and leaves out what only those
 * needed. Of different props the one that the project has there stands for those that are only needed: the engine finds it by its path. Other
 * different props, and two versions that were both requested by id, still clash.
 */
export function preferNewest(files: readonly PullFile[], { roots, pinned, needs, here }: Choice): Destinations {
  const byId = new Map(files.map((file) => [file.object_id, file]))
  const standIns = new Map<number, number>()
  const warnings: PullWarning[] = []
  for (;;) {
    const reached = reach(roots, needs, standIns)
    const kept = [...reached].flatMap((id) => byId.get(id) ?? [])
    const clashes = findClashes(kept)
    if (clashes.length === 0) return { files: kept, warnings }
    for (const group of clashes) {
      const own = group.filter(({ lineage_id }) => lineage_id === here.get(placeKey(group[0] as PullFile) ?? ''))
      const others = own.length > 0 ? group.filter((file) => !own.includes(file) && !roots.includes(file.object_id)) : []
      const { newest, yielding } = newestOf(
        group.filter((file) => !others.includes(file)),
        pinned,
      )
      for (const older of yielding) warnings.push(newerVersionUsed(older, newest))
      for (const other of others) warnings.push(ownPropUsed(other, newest))
      for (const { object_id } of [...yielding, ...others]) standIns.set(object_id, newest.object_id)
    }
  }
}

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
