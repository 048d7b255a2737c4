/** Files of an order that have no place under /Game: which of them the others come without, and which refuse the order (contract-gaps 5). */
import { type Failure, validationError } from '../../contract/errors.ts'
import { type MisnamedFile, wayOut } from '../../contract/misnamed.ts'
import { pluginPath, pulledTo } from '../../contract/plugin-content.ts'
import type { PullOrder } from '../../contract/pull-jobs.ts'
import { lookupIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { PullFile } from '../rows/pull-job.ts'
import { packageName } from '../rows/version.ts'

interface Placed {
  files: PullFile[]
  misnamed: MisnamedFile[]
}

/** A version without a place, with what says where it belongs and what it is called. */
interface Placeless {
  object_id: number
  content_hash: string
  asset_name: string | null
  source_ext: string | null
  source_path: string | null
  package_name: string | null
  entry_id: number | null
  entry_name: string | null
}

/**
 * The files that land somewhere, and those that no project can have because of their names. VALIDATION where one belongs elsewhere
 * (to a plugin and content of plugins was not asked for, or to no project), or where no ordered file would come. `roots`: the ordered versions.
 */
export async function leaveOutMisnamed(
  { sql, workspace, input }: { sql: Sql; workspace: { id: number }; input: Pick<PullOrder, 'plugin_content'> },
  { files, roots }: { files: readonly PullFile[]; roots: readonly number[] },
): Promise<Placed> {
  const ids = files.flatMap(({ origin_path, object_id }) => (origin_path === null ? [object_id] : []))
  if (ids.length === 0) return { files: [...files], misnamed: [] }
  const found = await selectPlaceless(sql, workspace.id, ids)
  const inPlugins = new Set(found.flatMap((file) => (input.plugin_content && isInPlugin(file) ? file.object_id : [])))
  const placeless = found.filter(({ object_id }) => !inPlugins.has(object_id))
  const faultOf = (file: Placeless) => nameFault(file) ?? (input.plugin_content ? pluginFault(file) : undefined)
  const elsewhere = placeless.filter((file) => faultOf(file) === undefined)
  if (elsewhere.length > 0) throw validationError(elsewhere.map((file) => failureOf(file, whyElsewhere(file))))
  const ordered = placeless.filter(({ object_id }) => roots.includes(object_id))
  if (ordered.length === roots.length && ordered.length > 0)
    throw validationError(ordered.map((file) => failureOf(file, whyNothing(file, faultOf(file)))))
  return {
    files: files.filter(({ origin_path, object_id }) => origin_path !== null || inPlugins.has(object_id)),
    misnamed: placeless.map((file) => ({
      object_id: file.object_id,
      entry_id: file.entry_id,
      name: titleOf(file),
      why: faultOf(file) ?? '',
      source_ext: file.source_ext,
      ordered: roots.includes(file.object_id),
    })),
  }
}

const selectPlaceless = (sql: Sql, workspaceId: number, ids: readonly number[]) => sql<Placeless[]>`
  select lookup.key as object_id, found.*, e.id as entry_id, e.name as entry_name
    from ${lookupIds(sql, new Set(ids))}
    cross join lateral (
      select o.lineage_id, o.content_hash, o.asset_name, o.source_ext, o.source_path, ${packageName(sql)} from objects o
       where o.workspace_id = ${workspaceId} and o.id = lookup.key offset 0) found
    left join lateral (
      select id, name from entries where workspace_id = ${workspaceId} and lineage_id = found.lineage_id offset 0) e on true
   order by lookup.key`

/** A package, or a source file beside one, whose name its plugin's Content folder can have. */
const isInPlugin = ({ package_name }: Placeless): boolean => pulledTo({ package_name }) !== null

/** What `origin_path` of the contract can be. */
const place = /^\/Game(\/[A-Za-z0-9_-]+)+$/i

/** What is wrong with its name, as the end of a sentence; undefined where something else keeps it from having a place. */
function nameFault({ package_name, source_path, source_ext }: Placeless): string | undefined {
  if (package_name === null ? source_ext !== null : !isGamePath(package_name)) return undefined
  if (package_name !== null && place.test(package_name))
    return `is kept without a place, because another file was pushed as ${package_name} along with it`
  const stem = package_name ?? source_path?.replace(/\.[^./]*$/, '')
  if (stem === undefined || (package_name === null && place.test(`/Game/${stem}`))) return undefined
  return otherLetters
}

const otherLetters = 'has other letters in its path than a-z, digits, _ and -'

/** The same of content of a plugin, which no plugin's folder gets under such a name. */
const pluginFault = ({ package_name }: Placeless): string | undefined =>
  package_name !== null && !isGamePath(package_name) && !pluginPath.test(package_name) ? otherLetters : undefined

const isGamePath = (name: string): boolean => /^\/game\//i.test(name)

/** What people call it: by its path, which tells more than a name. */
const titleOf = ({ package_name, entry_name, asset_name, source_path, content_hash }: Placeless): string =>
  package_name ?? source_path ?? entry_name ?? asset_name ?? `the file ${content_hash}`

const whyNothing = (file: Placeless, fault: string | undefined): string =>
  `${fault}, so it cannot be pulled; ${wayOut(file, '<folder of the project>')}`

function whyElsewhere({ package_name, source_ext }: Placeless): string {
  const [, plugin] = /^\/([^/]+)\//.exec(package_name ?? '') ?? []
  if (source_ext !== null)
    return 'is a source file and has no place under /Game, so it cannot be pulled; leave it out and bring it with `ph download`'
  if (plugin !== undefined)
    return `is content of the plugin ${plugin} and has no place under /Game, so it cannot be pulled; leave it out and install its plugin`
  return 'was pushed from outside a project and has no place under /Game, so it cannot be pulled; push it from inside its project, or leave it out'
}

function failureOf(file: Placeless, why: string): Failure {
  const { object_id, content_hash, asset_name, source_ext } = file
  return { path: 'entries', message: `${titleOf(file)} ${why}`, source_ext, object_id, content_hash, asset_name }
}
