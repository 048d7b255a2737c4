/** What people name to check out, to check in or to release: files and folders of a project, or props by id, name or path. */
import { existsSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { EntrySummary } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { extensionOf, type Filed } from '../../formats/package-place.ts'
import { readEntryDetails } from '../entries/details.ts'
import { requireEachEntry } from '../entries/reference.ts'
import { projectStateFile } from '../folders.ts'
import type { Api } from '../http/api.ts'
import type { Wire } from '../http/open-http.ts'
import { type Face, relation } from '../memory/current-versions.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import type { TellPush } from '../progress.ts'
import { findNamedPaths, type NamedPaths, placeInProject } from '../project/paths.ts'
import { findProjectName, holdsDescriptor, locate } from '../project/unreal-project.ts'
import { type StatusFile, toStatusFile } from '../status/report.ts'
import { status } from '../status/status.ts'

/** A prop with its files in the project; none where it is not there. */
export interface NamedProp {
  lineage_id: string
  /** Null: a file without an entry, such as a part of a level. */
  entry_id: number | null
  name: string
  /** Of the current version. Null: it has no place under /Game, so it cannot be pulled. Undefined where that was not asked. */
  origin_path?: string | null | undefined
  files: StatusFile[]
  /** What was named needs it, and it was not named itself. */
  is_needed: boolean
}

/** A prop of the library, and as which file it lies in a project. */
export interface LibraryProp {
  prop: Omit<NamedProp, 'files'>
  filed: Filed
  /** Its current version, where that was answered just now. */
  face?: Face
}

export interface NamedProps {
  /** Folder of the project; null where nothing in one was named and none is around. */
  root: string | null
  /** Its name, for pulls. */
  project: string | null
  props: NamedProp[]
  /** Files that were named and are no prop of the library: below the root, with `/`. */
  unknown: string[]
  /** Files that were named themselves: redirectors, which renames left behind, and those whose prop was deleted from the library. */
  redirectors: StatusFile[]
  deleted: StatusFile[]
  /** Absolute paths of what was named and lies on the disk. */
  paths: string[]
}

export interface Naming {
  wire: Wire
  api: Api
  cwd: string
  tell?: TellPush
}

/** In the order of the files, then of the names. Throws ClientError as `findNamedPaths` and `requireEachEntry` do. */
export async function findNamedProps(references: readonly string[], naming: Naming): Promise<NamedProps> {
  const { cwd, api, wire, tell } = naming
  const { paths, names } = sortReferences(references, cwd)
  const places = paths.length > 0 ? findNamedPaths(paths) : undefined
  const root = places?.root ?? projectAt(cwd)
  const entries = await readNamed(api, names)
  const props = new Map<string, NamedProp>()
  const others: Pick<NamedProps, 'unknown' | 'redirectors' | 'deleted'> = { unknown: [], redirectors: [], deleted: [] }
  if (places) {
    const { files } = await status({ ...wire, paths, cwd, all: true, filesOnly: true, ...(tell ? { tell } : {}) })
    for (const file of files) if (isProp(file)) addFile(props, file)
    Object.assign(others, findOthers(places, files))
  }
  const missing = entries.filter(({ lineage_id }) => !props.has(lineage_id))
  await addProps(
    props,
    missing.map(({ id, lineage_id, name, origin_path, object_id, content_hash, ...filed }) => ({
      prop: { lineage_id, entry_id: id, name, origin_path, is_needed: false },
      filed,
      face: { lineageId: lineage_id, entryId: id, objectId: object_id, hash: content_hash },
    })),
    { ...naming, root },
  )
  return { root, project: (root && findProjectName(root)) ?? null, props: [...props.values()], ...others, paths }
}

/** Adds props with the files that they have in the project: where this machine remembers them, and where they were pushed from. */
export async function addProps(
  props: Map<string, NamedProp>,
  more: readonly LibraryProp[],
  { root, wire, cwd, tell }: Naming & { root: string | null },
): Promise<void> {
  for (const { prop } of more) props.set(prop.lineage_id, { ...prop, files: [] })
  if (root === null || more.length === 0) return
  const lineageIds = new Set(more.map(({ prop }) => prop.lineage_id))
  const heard = more.flatMap(({ face }) => face ?? [])
  const { there, gone, known } = rememberedFiles(root, wire, { lineageIds, heard })
  const others = [...new Set(more.flatMap(usualFile)).difference(new Set(there))].filter((file) => existsSync(join(root, file)))
  const paths = [...there, ...others].map((file) => join(root, file))
  const asked = { ...wire, paths, cwd, all: true, filesOnly: true, ...(tell ? { tell } : {}) }
  // Nothing more is to be asked of files that are known here, where the library has just said what is current.
  const remembered = others.length === 0 && heard.length === more.length
  const files = paths.length > 0 ? (await status({ ...asked, remembered })).files : []
  for (const file of files) if (lineageIds.has(file.lineage_id ?? '')) props.get(file.lineage_id ?? '')?.files.push(file)
  const moved = new Set(known.filter((id) => props.get(id)?.files.length === 0))
  // They were here: most likely they were renamed since, and nobody pushed them from their new places.
  const elsewhere = moved.size > 0 ? (await status({ ...asked, paths: [], cwd: root })).files : []
  for (const file of elsewhere)
    if (moved.has(file.lineage_id ?? '') && isProp(file)) props.get(file.lineage_id ?? '')?.files.push(file)
  for (const file of gone) {
    const prop = props.get(file.lineage_id ?? '')
    // Where another file of it is there it was moved, most likely.
    if (prop?.files.every(({ state }) => state === 'missing')) prop.files.push(file)
  }
}

/** Below the root of a project, where it comes to lie by a pull. */
const usualFile = ({ prop: { origin_path: path }, filed }: LibraryProp): string[] =>
  path?.startsWith('/Game/') ? [`Content/${path.slice('/Game/'.length)}.${extensionOf(filed)}`] : []

const isPathLike = (reference: string, cwd: string): boolean =>
  /^[.~]|\\|\.(uasset|umap)$/i.test(reference) ||
  (reference.includes('/') && !reference.startsWith('/') && existsSync(join(cwd, reference.split('/')[0] ?? '')))

/** What lies on the disk, or is written like a path, is one; everything else is a prop of the library. */
function sortReferences(references: readonly string[], cwd: string): { paths: string[]; names: string[] } {
  const isPath = (reference: string) => existsSync(resolve(cwd, reference)) || isPathLike(reference, cwd)
  const { paths = [], names = [] } = Object.groupBy(references, (one) => (isPath(one) ? 'paths' : 'names'))
  return { paths: paths.map((path) => resolve(cwd, path)), names }
}

function projectAt(cwd: string): string | null {
  const { root } = locate(placeInProject(cwd))
  return holdsDescriptor(root) ? root : null
}

/** Each once. Those that were looked up by name or path need no second look. */
async function readNamed(api: Api, names: readonly string[]): Promise<EntrySummary[]> {
  if (names.length === 0) return []
  const meant = await requireEachEntry(api, names)
  const unread = meant.flatMap((one) => ('lineage_id' in one ? [] : one.id))
  const details = unread.length > 0 ? await readEntryDetails(api, unread) : new Map<number, EntrySummary>()
  const entries = meant.map((one) => {
    const entry = 'lineage_id' in one ? one : details.get(one.id)
    if (!entry) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${one.id} in this workspace.`)
    return entry
  })
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

function addFile(props: Map<string, NamedProp>, file: StatusFile): void {
  const { lineage_id, entry_id, face_origin_path: origin_path, part } = file
  if (lineage_id === null) return
  const prop = props.get(lineage_id)
  if (prop) prop.files.push(file)
  else {
    const name = part ? `${part.label} of ${part.level.slice(part.level.lastIndexOf('/') + 1)}` : stemOf(file.file)
    props.set(lineage_id, { lineage_id, entry_id, name, origin_path, files: [file], is_needed: false })
  }
}

const stemOf = (file: string): string => basename(file).replace(/\.[^.]*$/, '')

/** It is a version of a prop that the library has, or an edit of one. */
const isProp = ({ lineage_id, state }: StatusFile): boolean => lineage_id !== null && state !== 'missing' && state !== 'deleted'

/** Of files that were named themselves: those that are no props of the library. */
function findOthers({ root, starts }: NamedPaths, files: readonly StatusFile[]) {
  const found = new Map(files.map((file) => [file.file, file]))
  const named = starts.flatMap(({ path, isFolder }) => (isFolder ? [] : relative(root, path).split(sep).join('/')))
  const inState = (state: StatusFile['state']) =>
    named.flatMap((file) => (found.get(file)?.state === state ? (found.get(file) ?? []) : []))
  const [redirectors, deleted] = [inState('redirector'), inState('deleted')]
  const known = new Set([...redirectors, ...deleted].map(({ file }) => file))
  return {
    redirectors,
    deleted,
    unknown: named.filter((file) => !known.has(file) && (found.get(file)?.lineage_id ?? null) === null),
  }
}

/** Files of these lineages: those on the disk by their paths, what is known of those that are not there any more, and which lineages have any. */
function rememberedFiles(
  root: string,
  { folders, url }: Wire,
  { lineageIds, heard }: { lineageIds: ReadonlySet<string>; heard: readonly Face[] },
) {
  const memory = new ProjectMemory(projectStateFile(folders, url, root), { address: url, root })
  try {
    if (heard.length > 0) memory.faces.save([], heard)
    const rows = memory.faces.rows().filter(([, , , lineageId]) => lineageId !== null && lineageIds.has(lineageId))
    const { there = [], gone = [] } = Object.groupBy(rows, ([file]) => (existsSync(join(root, file)) ? 'there' : 'gone'))
    const details = memory.faces.details(new Set(gone.map(([file]) => file)))
    const based = details.filter((one) => one.relation & relation.based)
    const known = [...new Set(rows.flatMap(([, , , lineageId]) => lineageId ?? []))]
    return { there: there.map(([file]) => file), gone: based.map((one) => toStatusFile(one, 'missing')), known }
  } finally {
    memory.close()
  }
}
