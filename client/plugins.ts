/** Plugins that a project has: those that its descriptor enables, and those in its own folders. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readDescriptor } from './unreal-project.ts'

/** A project on this disk. `descriptor`: its `.uproject`, when there is one. */
export interface PluginHost {
  root: string
  descriptor: string | undefined
}

/** Unreal looks as deep as it takes for the next `.uplugin`; nobody nests plugins deeper than this. */
const deepestFolder = 8

/**
 * Names in lower case; undefined where no descriptor says what is enabled. What the descriptor disables is not among them. Plugins
 * that the engine enables by itself cannot be known from here.
 */
export function pluginsOf({ root, descriptor }: PluginHost): Set<string> | undefined {
  if (descriptor === undefined) return undefined
  const { Plugins, AdditionalPluginDirectories } = readDescriptor(descriptor) ?? {}
  const named = listOf(Plugins).flatMap((one) => {
    const { Name, Enabled } = (one ?? {}) as { Name?: unknown; Enabled?: unknown }
    return typeof Name === 'string' ? [{ name: Name.toLowerCase(), isEnabled: Enabled !== false }] : []
  })
  const folders = ['Plugins', ...listOf(AdditionalPluginDirectories).filter((one) => typeof one === 'string')]
  const present = new Set(folders.flatMap((folder) => pluginsBelow(resolve(root, folder), deepestFolder)))
  for (const { name, isEnabled } of named) if (isEnabled) present.add(name)
  for (const { name, isEnabled } of named) if (!isEnabled) present.delete(name)
  return present
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A plugin holds no other plugins. */
function pluginsBelow(folder: string, depth: number): string[] {
  const entries = entriesIn(folder)
  const own = entries.flatMap(({ name }) => /^(.+)\.uplugin$/i.exec(name)?.[1]?.toLowerCase() ?? [])
  if (own.length > 0 || depth === 0) return own
  const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
  return folders.flatMap(({ name }) => pluginsBelow(join(folder, name), depth - 1))
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
