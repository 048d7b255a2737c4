/** Who refers to a place of a project: directly, or through redirectors. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../http/api.ts'
import { findPlaces } from '../memory/find-places.ts'
import { findFaces } from '../memory/find-versions.ts'
import { type Around, bringer } from './bringer.ts'
import { type OldFile, type Placed, placeOf } from './places.ts'

interface Referring extends Pick<Around, 'memory' | 'target'>, Pick<Placed, 'replacing'> {
  /** Files that count for nothing: those that were edited may refer to something else by now, and a redirector takes the place of others. */
  skipped: ReadonlySet<string>
  /** Files that are known to be here by more than memory. */
  found?: readonly OldFile[]
}

/** Who refers to the place of a file: entries of files here, and redirectors here. */
interface Referrers {
  entryIds: number[]
  redirectors: OldFile[]
}

/** Chains of redirectors are followed so far. */
const mostInChain = 16

/**
 * Finds who refers to the places of these files: for each file, the entries of the files here that refer to its place. A pull of them brings the
 * redirector there, or what is still needed of a deleted prop. A redirector that refers to it stands for those that refer to the redirector.
 */
export async function findReferring(api: Api, files: readonly OldFile[], looking: Referring): Promise<Map<string, number[]>> {
  const known = new Map<string, Referrers>()
  let open = files
  for (let steps = 0; open.length > 0 && steps <= mostInChain; steps++) {
    const found = await findReferrers(api, open, looking)
    for (const { file } of open) known.set(file, found.get(file) ?? { entryIds: [], redirectors: [] })
    // Two that lead to each other are asked about once.
    open = [...found.values()].flatMap(({ redirectors }) => redirectors).filter(({ file }) => !known.has(file))
  }
  const referring = files.map(({ file }) => [file, entriesThrough(file, known)] as const)
  return new Map(referring.filter(([, entryIds]) => entryIds.length > 0))
}

function entriesThrough(file: string, known: ReadonlyMap<string, Referrers>): number[] {
  const reached = new Set([file])
  const entryIds = new Set<number>()
  for (const one of reached) {
    const { entryIds: ids, redirectors } = known.get(one) ?? { entryIds: [], redirectors: [] }
    for (const id of ids) entryIds.add(id)
    for (const redirector of redirectors) reached.add(redirector.file)
  }
  return [...entryIds]
}

/** Finds the direct referrers of each file. */
async function findReferrers(
  api: Api,
  files: readonly OldFile[],
  { memory, target, replacing, skipped, found = [] }: Referring,
): Promise<Map<string, Referrers>> {
  const places = new Map(files.map(({ file }) => [placeOf(file, target), file]))
  const known = await findPlaces(api, target.project, [...places.keys()])
  const lineageIds = [...new Set(known?.referrers.flatMap(({ lineage_id }) => lineage_id ?? []))]
  if (!known || lineageIds.length === 0) return new Map()
  const { lineages } = await findFaces(api, { lineageIds, hashes: [], paths: [] })
  const around = { faces: new Map(lineages.map((face) => [face.id, face])), memory, target }
  const isHere = (file: string) => existsSync(join(target.root, file)) && !replacing.has(file) && !skipped.has(file)
  const remembered = memory.findByLineages(lineageIds).map(({ file, base }) => ({ file, lineage_id: base?.lineageId ?? null }))
  const here = Map.groupBy(
    [...remembered, ...found].filter(({ file }) => isHere(file)),
    ({ lineage_id }) => lineage_id,
  )
  const referrers = new Map<string, Referrers>()
  for (const { path, lineage_id } of known.referrers) {
    const file = places.get(path)
    if (file === undefined) continue
    const one = referrers.get(file) ?? { entryIds: [], redirectors: [] }
    referrers.set(file, one)
    for (const referrer of here.get(lineage_id ?? null) ?? []) {
      const entryId = bringer(referrer, around)
      if (entryId === undefined) one.redirectors.push(referrer)
      else one.entryIds.push(entryId)
    }
  }
  return referrers
}
