/** The places of a project: the prop or redirector at each, and the props that others added. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LineageFace } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'
import { relation } from '../memory/current-versions.ts'
import { findPlaces, type ProjectPlaces } from '../memory/find-places.ts'
import type { PullTarget } from '../pull/target-project.ts'
import type { Around } from './bringer.ts'

/** A prop of the project that never was here. */
export interface AddedProp {
  entry_id: number
  /** Where it lies: a package path in lower case, of source files with their extension. */
  path: string
}

/** A file that was pushed or pulled here, and its lineage. */
export interface OldFile {
  file: string
  lineage_id: string | null
}

export interface Placed {
  /** Props that lie in the project by its pushes and were never here; null where the server does not say it. */
  elsewhere: AddedProp[] | null
  /** Those that took the place of a file that is here: by that file. */
  replacing: Map<string, AddedProp>
  /** Files that are not here, of redirectors and of props that were deleted from the library. */
  gone: OldFile[]
  /** Files as the library has them, of props in whose place the project has a redirector by now, such as one to a prop that it made of another game's. */
  displaced: OldFile[]
  /** Files of props in whose place the project has another one that is here too, at its former place: the two change places with that one's latest. */
  givenUp: OldFile[]
  /** Another lineage that the project has at the place of a file. */
  takenBy(file: OldFile): Occupant | undefined
  /** Another one that it has where the prop of a file lies by now. */
  overtakenBy(face: LineageFace | undefined): Occupant | undefined
}

interface Occupant {
  lineage_id: string
  /** Null of a redirector. */
  entry_id: number | null
}

type Here = Pick<Around, 'memory' | 'target'>

/** `here`: files that are not as the library has them; their lineages are known to be here. */
export async function findPlaced(
  api: Pick<Api, 'lineages'>,
  { target, memory, here }: Here & { here: readonly OldFile[] },
): Promise<Placed> {
  const { files, gone, known } = oldFiles({ target, memory })
  for (const { lineage_id } of here) if (lineage_id !== null) known.add(lineage_id)
  const replacing: Placed['replacing'] = new Map()
  const found = await findPlaces(api, target.project)
  if (!found) return { elsewhere: null, replacing, gone: [...gone.values()], displaced: [], givenUp: [], ...nobody }
  const faces = new Map(found.lineages.map((face) => [face.id, face]))
  const elsewhere: AddedProp[] = []
  const displaced = new Map<string, OldFile>()
  const givenUp: OldFile[] = []
  for (const { path, lineage_id } of found.places) {
    const entry_id = entryOf(faces.get(lineage_id))
    const old = files.get(path)
    // Of nearly all places the prop is here: no file is asked for then.
    const isOther = old?.lineage_id !== lineage_id
    const other = old && isOther && existsSync(join(target.root, old.file)) ? old : undefined
    if (entry_id === null) {
      for (const one of absentFile(faces.get(lineage_id), target)) gone.set(path, one)
      if (other) displaced.set(other.file, other)
    } else if (known.has(lineage_id)) {
      if (other) givenUp.push(other)
    } else if (other) replacing.set(other.file, { entry_id, path })
    else elsewhere.push({ entry_id, path })
  }
  for (const { file } of here) displaced.delete(file)
  return {
    elsewhere,
    replacing,
    gone: [...gone.values()],
    displaced: [...displaced.values()],
    givenUp,
    ...occupantsIn(found, target),
  }
}

type Occupants = Pick<Placed, 'takenBy' | 'overtakenBy'>
const nobody: Occupants = { takenBy: () => undefined, overtakenBy: () => undefined }

/** Finds which other lineage the project has at the place of each file, and where its prop lies by now. Asks about these places only. */
export async function findOccupants(
  api: Pick<Api, 'lineages'>,
  files: readonly OldFile[],
  { faces, target }: Omit<Around, 'memory'>,
): Promise<Occupants> {
  const here = files.map(({ file }) => placeOf(file, target))
  const now = files.flatMap(({ lineage_id }) => faces.get(lineage_id ?? '')?.origin_path?.toLowerCase() ?? [])
  const paths = new Set([...here, ...now].filter((path) => path !== ''))
  const found = await findPlaces(api, target.project, [...paths])
  return found ? occupantsIn(found, target) : nobody
}

function occupantsIn({ places, lineages }: Pick<ProjectPlaces, 'places' | 'lineages'>, target: PullTarget): Occupants {
  const faces = new Map(lineages.map((face) => [face.id, face]))
  const placed = new Map(places.map(({ path, lineage_id }) => [path, lineage_id]))
  const otherAt = (path: string, lineageId: string | null) => {
    const there = placed.get(path) ?? lineageId
    return there === null || there === lineageId ? undefined : { lineage_id: there, entry_id: entryOf(faces.get(there)) }
  }
  return {
    takenBy: ({ file, lineage_id }) => otherAt(placeOf(file, target), lineage_id),
    overtakenBy: (face) => (face?.origin_path ? otherAt(face.origin_path.toLowerCase(), face.id) : undefined),
  }
}

const entryOf = (face: LineageFace | undefined): number | null => (face?.origin_path == null ? null : face.entry_id)

/** The file of a lineage without an entry, when it is missing here. Parts of levels are skipped: they come with their level. */
function absentFile(face: LineageFace | undefined, { root, content }: PullTarget): OldFile[] {
  const path = face?.origin_path
  if (!face || !path?.toLowerCase().startsWith('/game/') || /\/__External(Actors|Objects)__\//i.test(path)) return []
  const [first = '', ...others] = (face.source_ext ? [face.source_ext] : ['uasset', 'umap']).map(
    (ext) => `${content.file}/${path.slice('/game/'.length)}.${ext}`,
  )
  return [first, ...others].some((file) => existsSync(join(root, file))) ? [] : [{ file: first, lineage_id: face.id }]
}

/** Reads memory: the files that were pushed or pulled here, by place; the missing ones of deleted props; and all lineages. */
function oldFiles({ target, memory }: Here): { files: Map<string, OldFile>; gone: Map<string, OldFile>; known: Set<string> } {
  const [files, gone, known] = [new Map<string, OldFile>(), new Map<string, OldFile>(), new Set<string>()]
  for (const [file, , bits, lineage_id] of memory.faces.rows()) {
    if (!(bits & relation.based) || lineage_id === null) continue
    known.add(lineage_id)
    const place = placeOf(file, target)
    files.set(place, { file, lineage_id })
    if (bits & relation.deleted && !existsSync(join(target.root, file))) gone.set(place, { file, lineage_id })
  }
  return { files, gone, known }
}

/** Whether the library has the prop of this file at another path. */
export const hasMoved = ({ file, lineage_id }: OldFile, { faces, target }: Omit<Around, 'memory'>): boolean =>
  faces.get(lineage_id ?? '')?.origin_path?.toLowerCase() !== placeOf(file, target)

/** The place of a file: its package path in lower case. */
export const placeOf = (file: string, { content }: PullTarget): string =>
  file.startsWith(`${content.file}/`)
    ? `/game/${file.slice(content.file.length + 1).toLowerCase()}`.replace(/\.(uasset|umap)$/, '')
    : ''
