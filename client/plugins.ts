/** Plugins whose content entries refer to, and whether a project has them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PullJobEntry } from '../contract/pull-jobs.ts'
import type { PullCalls } from './pull-calls.ts'
import type { PullTarget } from './pull-target.ts'

export interface PlannedPlugin {
  name: string
  /** It lies in the project, or the project enables it. Null when the project has no descriptor to tell. */
  present: boolean | null
  /** Names of the entries that refer to it. */
  entries: string[]
}

/** Entries that are asked about: each is a request. */
const mostEntries = 50
const deepestFolder = 3
/** Part of the engine itself. */
const ownMounts = new Set(['game', 'engine', 'script', 'temp', 'memory'])

/** What the documents of these entries say of plugins (`ext.unreal.plugin_references`, as `ph push` writes it). */
export async function pluginsNeeded(
  calls: PullCalls,
  entries: readonly PullJobEntry[],
  target: PullTarget,
): Promise<PlannedPlugin[]> {
  const users = new Map<string, Set<string>>()
  const details = await Promise.all(entries.slice(0, mostEntries).map(({ entry_id }) => calls.entry(entry_id)))
  for (const { name, metadata_doc } of details)
    for (const plugin of pluginNames(metadata_doc)) users.set(plugin, (users.get(plugin) ?? new Set()).add(name))
  const own = users.size > 0 ? pluginsOf(target) : undefined
  return [...users].map(([name, by]) => ({ name, present: own ? own.has(name.toLowerCase()) : null, entries: [...by] }))
}

function pluginNames(document: unknown): Set<string> {
  const { ext } = (document ?? {}) as { ext?: { unreal?: { plugin_references?: unknown } } }
  const references = ext?.unreal?.plugin_references
  const names = Array.isArray(references) ? references.flatMap((one) => /^\/([^/]+)\//.exec(String(one))?.[1] ?? []) : []
  return new Set(names.filter((name) => !ownMounts.has(name.toLowerCase())))
}

/** Names in lower case; undefined where no descriptor says what is enabled. */
function pluginsOf({ root, descriptor }: PullTarget): Set<string> | undefined {
  if (descriptor === undefined) return undefined
  const enabled = enabledIn(descriptor)
  return new Set([...enabled, ...pluginsBelow(join(root, 'Plugins'), deepestFolder)].map((name) => name.toLowerCase()))
}

function enabledIn(descriptor: string): string[] {
  try {
    const { Plugins: plugins } = JSON.parse(readFileSync(descriptor, 'utf8')) as {
      Plugins?: { Name?: unknown; Enabled?: unknown }[]
    }
    return (plugins ?? []).flatMap(({ Name, Enabled }) => (typeof Name === 'string' && Enabled !== false ? [Name] : []))
  } catch {
    return []
  }
}

function pluginsBelow(folder: string, depth: number): string[] {
  if (depth === 0 || !existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [, stem] = /^(.+)\.uplugin$/i.exec(entry.name) ?? []
    if (stem !== undefined) return [stem]
    return entry.isDirectory() ? pluginsBelow(join(folder, entry.name), depth - 1) : []
  })
}
