/** What the files of a pull refer to and neither the library nor the project that gets them has. */

import type { PullJobEntry, PullJobObject } from '../../contract/pull-jobs.ts'
import { missingDependencies, type ReferringVersion } from '../entries/missing-dependencies.ts'
import type { Api } from '../http/api.ts'
import { type PluginHost, pluginsOf } from '../project/plugins.ts'

/** A package that is not in the library. */
export interface MissingPackage {
  name: string
  /** Names of the files that refer to it. */
  entries: string[]
}

/** A plugin whose content is needed. */
export interface NeededPlugin {
  name: string
  /** The project enables it, or has it among its own plugins. Null where no descriptor tells. */
  present: boolean | null
  /** Names of the files that refer to it. */
  entries: string[]
}

export interface MissingInProject {
  missing_dependencies: MissingPackage[]
  plugins: NeededPlugin[]
}

/** A version, as jobs and closures list it. */
export type NamedVersion = ReferringVersion & { name: string }

/** `asset_name` is null for files that are no assets. */
export const namedObject = (object: Pick<PullJobObject, 'asset_name' | 'origin_path' | 'object_id'> & ReferringVersion) => ({
  ...object,
  name: object.asset_name ?? object.origin_path?.split('/').at(-1) ?? `version ${object.object_id}`,
})

/** `host`: the project, where it lies on this disk. */
export function missingInProject(versions: readonly NamedVersion[], host: PluginHost | undefined): MissingInProject {
  const { packages, plugins } = missingDependencies(versions)
  const names = (by: readonly NamedVersion[]) => [...new Set(by.map(({ name }) => name))]
  const own = plugins.length > 0 && host ? pluginsOf(host) : undefined
  return {
    missing_dependencies: packages.map(({ name, by }) => ({ name, entries: names(by) })),
    plugins: plugins.map(({ name, by }) => ({ name, present: own?.has(name.toLowerCase()) ?? null, entries: names(by) })),
  }
}

/** The closure of a job, and what it lacks. Other servers may not tell it: then what the entries say of themselves. */
export async function missingOfJob(
  { entries }: { entries: readonly PullJobEntry[] },
  host: PluginHost | undefined,
  closure: () => Promise<{ objects: readonly PullJobObject[] }>,
): Promise<MissingInProject> {
  const versions = await closure().then(
    ({ objects }) => objects.map(namedObject),
    () => entries,
  )
  return missingInProject(versions, host)
}

/** Entries that are asked about: each is a request. */
const mostEntries = 50
/** Part of the engine itself. */
const ownMounts = new Set(['game', 'engine', 'script', 'temp', 'memory'])

/** What the documents of entries say of plugins (`ext.unreal.plugin_references`): also of those whose content is in the library. */
export async function documentedVersions(api: Api, entries: readonly PullJobEntry[]): Promise<NamedVersion[]> {
  const details = await Promise.all(entries.slice(0, mostEntries).map(({ entry_id }) => api.entries.get({ entry_id })))
  return details.map(({ name, metadata_doc }) => ({ name, plugins: pluginNames(metadata_doc) }))
}

function pluginNames(document: unknown): string[] {
  const { ext } = (document ?? {}) as { ext?: { unreal?: { plugin_references?: unknown } } }
  const references = ext?.unreal?.plugin_references
  const names = Array.isArray(references) ? references.flatMap((one) => /^\/([^/]+)\//.exec(String(one))?.[1] ?? []) : []
  return [...new Set(names.filter((name) => !ownMounts.has(name.toLowerCase())))]
}
