/** Files that were edited here while another version became current, and the two ways out: the library's version, or the one that is here. */
import { join } from 'node:path'
import { type Folders, projectStateFile } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { openWire, type Wire } from '../http/open-http.ts'
import { findPlaces } from '../memory/find-places.ts'
import { findFaces } from '../memory/find-versions.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { PackageSearch } from '../project/package-search.ts'
import { findTarget, type PullTarget } from '../pull/target-project.ts'
import type { StatusFile } from '../status/report.ts'
import { status } from '../status/status.ts'
import { bringer } from './bringer.ts'
import { findOccupants, hasMoved, type OldFile, placeOf } from './places.ts'
import { findReferring } from './referrers.ts'

export interface NamedFiles {
  /** Folder of the project. */
  root: string
  /** Its name; null where the folder is no project. */
  project: string | null
  /** Those that differ from the library and that it knows, by their bytes, their memory here, or their place. */
  edited: StatusFile[]
}

type Named = Wire & { cwd: string; paths: string[] }

const isEdited = ({ state, known_by, lineage_id }: StatusFile): boolean =>
  lineage_id !== null && (state === 'diverged' || state === 'modified' || (state === 'untracked' && known_by === 'path'))

/**
 * Finds the edited files among these paths; a folder stands for the files in it, a redirector for the file that it leads to. With `theirs`, outdated
 * files count too: there is nothing to choose. Throws what `status` throws.
 */
export async function findEdited({ theirs = false, ...named }: Named & { theirs?: boolean }): Promise<NamedFiles> {
  const look = { ...named, all: true, filesOnly: true }
  const seen = await status(look)
  const targetOf = targetsIn(seen.root)
  const known = new Set(seen.files.map(({ file }) => file))
  // A prop that was renamed here lies there, and a pull names its old place.
  const led = seen.files.map(targetOf).filter((file) => file !== undefined && !known.has(file)) as string[]
  const also = led.map((file) => join(seen.root, file))
  const { root, project, files } = led.length > 0 ? await status({ ...look, paths: [...named.paths, ...also] }) : seen
  const edited = files.filter((file) => isEdited(file) || (theirs && file.state === 'outdated'))
  const names = new Set(edited.map(({ file }) => file))
  const alone = files.filter((one) => one.state === 'redirector' && !names.has(targetOf(one) ?? ''))
  return { root, project, edited: [...edited, ...(await overProps(named, { root, project }, alone))] }
}

/** Finds the file that a redirector leads to. */
function targetsIn(root: string): (file: StatusFile) => string | undefined {
  const search = new PackageSearch(root, [])
  return ({ redirects_to }) => (redirects_to ? search.findPackage(redirects_to)?.file : undefined)
}

/** Redirectors that were made here where the library has a prop, or another redirector, and that lead to nothing which is known to be it: each as an edit of that. */
async function overProps(
  wire: Named,
  { root, project }: Pick<NamedFiles, 'root' | 'project'>,
  redirectors: readonly StatusFile[],
): Promise<StatusFile[]> {
  if (project === null || redirectors.length === 0) return []
  const target = findTarget({ cwd: root, project, into: root })
  return withProject(wire, root, async ({ api }) => {
    const found = await findPlaces(api, project, [...new Set(redirectors.map(({ file }) => placeOf(file, target)))])
    const faces = new Map(found?.lineages.map((face) => [face.id, face]))
    const placed = new Map(found?.places.map(({ path, lineage_id }) => [path, faces.get(lineage_id)]))
    return redirectors.flatMap((one): StatusFile[] => {
      const face = placed.get(placeOf(one.file, target))
      if (!face || face.face_content_hash === one.content_hash) return []
      const { id: lineage_id, entry_id, face_object_id, face_content_hash } = face
      return [{ ...one, state: 'diverged', known_by: 'path', lineage_id, entry_id, face_object_id, face_content_hash }]
    })
  })
}

export interface Theirs {
  /** The entries that bring the library's versions. */
  entryIds: number[]
  /** The lineages whose versions those are, each with the files that give way to it. */
  lineages: Map<string, string[]>
  /** Files that no pull brings: their current version has no place under /Game. */
  notPulled: StatusFile[]
}

/** What a pull has to bring so that these files become the library's versions. */
export async function findTheirs(wire: Wire, target: PullTarget, files: readonly StatusFile[]): Promise<Theirs> {
  return withProject(wire, target.root, async ({ api, memory }) => {
    const lineageIds = [...new Set(files.flatMap(({ lineage_id }) => lineage_id ?? []))]
    const { lineages } = await findFaces(api, { lineageIds, hashes: [], paths: [] })
    const faces = new Map(lineages.map((face) => [face.id, face]))
    const { overtakenBy, takenBy } = await findOccupants(api, files, { faces, target })
    // Another prop or a redirector has the place in this project: that one is the library's version there.
    const occupantOf = (file: StatusFile) =>
      hasMoved(file, { faces, target }) ? overtakenBy(faces.get(file.lineage_id ?? '')) : takenBy(file)
    const occupants = new Map(files.map((file) => [file, occupantOf(file)]))
    const ownId = (file: StatusFile) => occupants.get(file)?.entry_id ?? bringer(file, { faces, memory, target })
    // A redirector has no entry: a pull of a prop that refers to it brings it.
    const redirected = files.filter(
      (file) => [occupants.get(file), takenBy(file)].some((one) => one?.entry_id === null) || ownId(file) === undefined,
    )
    const here = { memory, target, replacing: new Map(), skipped: new Set<string>(), found: files }
    const referring = await findReferring(api, redirected, here)
    const ids = new Map(files.map((file) => [file, referring.get(file.file) ?? [ownId(file)].flatMap((id) => id ?? [])]))
    return {
      entryIds: [...new Set([...ids.values()].flat())],
      lineages: filesByLineage(
        files.flatMap((file) => [
          file,
          ...[occupants.get(file), takenBy(file)].flatMap((one) => (one ? { ...file, lineage_id: one.lineage_id } : [])),
        ]),
      ),
      notPulled: files.filter((file) => ids.get(file)?.length === 0),
    }
  })
}

function filesByLineage(files: readonly OldFile[]): Map<string, string[]> {
  const lineages = new Map<string, string[]>()
  for (const { file, lineage_id: id } of files) if (id !== null) lineages.set(id, [...(lineages.get(id) ?? []), file])
  return lineages
}

export interface KeptFile {
  /** Below the project's root, with `/`. */
  file: string
  entry_id: number | null
  /** The current version, which the file counts as made from now. */
  object_id: number
}

/** Remembers that these files were made from the current versions: the next push makes their next versions. */
export function keepMine(wire: Wire, root: string, files: readonly StatusFile[]): Promise<KeptFile[]> {
  return withProject(wire, root, async ({ api, memory }) => {
    const versions = await unnumbered(api, files)
    const kept = files.flatMap((one) => {
      const { file, lineage_id: lineageId, face_content_hash: hash, entry_id: entryId } = one
      const objectId = one.face_object_id ?? versions.get(hash ?? '') ?? null
      if (lineageId === null || objectId === null || hash === null) return []
      const own = memory.find(file)?.base ?? memory.findByLineages([lineageId])[0]?.base
      const { guid, assetClass } = own?.lineageId === lineageId ? own : { guid: null, assetClass: null }
      const base = { hash, guid, assetClass, lineageId, objectId, entryId }
      return [
        { based: { file, hash: one.content_hash, edges: null, base }, told: { file, entry_id: entryId, object_id: objectId } },
      ]
    })
    memory.saveBased(kept.map(({ based }) => based))
    memory.unsettle(kept.map(({ told }) => told.object_id))
    return kept.map(({ told }) => told)
  })
}

/** Of a part of a level this machine may know the bytes of the current version, and not its number: by those bytes. */
async function unnumbered(api: ReturnType<typeof createApi>, files: readonly StatusFile[]): Promise<Map<string, number>> {
  const hashes = files.flatMap((one) => (one.face_object_id === null ? (one.face_content_hash ?? []) : []))
  const { versions } = hashes.length > 0 ? await findFaces(api, { lineageIds: [], hashes, paths: [] }) : { versions: [] }
  return new Map(versions.map(({ content_hash, object_id }) => [content_hash, object_id]))
}

interface OfProject {
  api: ReturnType<typeof createApi>
  memory: ProjectMemory
}

async function withProject<T>(
  wire: Wire & { folders: Folders },
  root: string,
  work: (parts: OfProject) => Promise<T>,
): Promise<T> {
  const http = openWire(wire, () => {})
  const memory = new ProjectMemory(projectStateFile(wire.folders, wire.url, root), { address: wire.url, root })
  try {
    return await work({ api: createApi(http), memory })
  } finally {
    memory.close()
    await http.close('destroy')
  }
}
