/** Plugins that a project has: those that its descriptor enables, and those in its own folders; and whose code they hold. */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type ContentFolder, isContentFolder, readDescriptor } from './unreal-project.ts'

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
export function pluginsOf(host: PluginHost): Set<string> | undefined {
  if (host.descriptor === undefined) return undefined
  const { named, own } = readPlugins(host)
  const present = new Set(own.map(({ name }) => name.toLowerCase()))
  for (const { name, isEnabled } of named) if (isEnabled) present.add(name.toLowerCase())
  for (const { name, isEnabled } of named) if (!isEnabled) present.delete(name.toLowerCase())
  return present
}

/** What the modules of a plugin are called, where its descriptor cannot be read: after the plugin, with one of these behind. */
const moduleEndings = ['', 'Runtime', 'Editor', 'Ed', 'Core', 'Developer', 'UncookedOnly']

/**
 * Finds the plugin of this project that holds a module, by the module's name. Plugins of the project's own folders list their modules.
 * Of those that lie with the engine only the names are known: their modules are called after them, or are not found.
 */
export function pluginFinder(host: PluginHost): (module: string) => string | undefined {
  const { named, own } = readPlugins(host)
  const byModule = new Map<string, string>()
  for (const { name, isEnabled } of named)
    if (isEnabled) for (const ending of moduleEndings) byModule.set(`${name}${ending}`.toLowerCase(), name)
  for (const { name, path } of own)
    for (const module of listOf(readDescriptor(path)?.Modules)) {
      const { Name } = (module ?? {}) as { Name?: unknown }
      if (typeof Name === 'string') byModule.set(Name.toLowerCase(), name)
    }
  return (module) => byModule.get(module.toLowerCase())
}

/** Plugins in the folders of one project, each with the Content folder that a pull may write to. */
export class PluginFolders {
  readonly #host: PluginHost
  readonly #own = new Map<string, OwnPlugin>()
  readonly #named: ReadonlySet<string>

  constructor(host: PluginHost) {
    this.#host = host
    const { named, own } = readPlugins(host)
    for (const plugin of own) if (!this.#own.has(plugin.name.toLowerCase())) this.#own.set(plugin.name.toLowerCase(), plugin)
    this.#named = new Set(named.flatMap(({ name, isEnabled }) => (isEnabled ? name.toLowerCase() : [])))
  }

  /** By its name, whatever its letters; or why there is none, as the end of a sentence about a file of it. */
  contentOf(name: string): ContentFolder | string {
    const plugin = this.#own.get(name.toLowerCase())
    if (plugin === undefined)
      return this.#named.has(name.toLowerCase())
        ? `belongs to the plugin ${name}, which this project enables and does not have in its own folders`
        : `needs the plugin ${name}, which this project does not have`
    const folder = dirname(plugin.path)
    const spelled = entriesIn(folder).find((entry) => isContentFolder(entry.name, true))?.name ?? 'Content'
    const file = relative(this.#host.root, join(folder, spelled)).split(sep).join('/')
    if (file.startsWith('../') || isAbsolute(file)) return `belongs to the plugin ${name}, which lies outside of this project`
    const path = join(folder, spelled)
    return { path: existsSync(path) ? realpathSync(path) : path, file }
  }
}

interface NamedPlugin {
  name: string
  isEnabled: boolean
}

/** A `.uplugin` on this disk. */
interface OwnPlugin {
  name: string
  path: string
}

/** Those that the project's descriptor names, and those in the project's folders. */
function readPlugins({ root, descriptor }: PluginHost): { named: NamedPlugin[]; own: OwnPlugin[] } {
  const { Plugins, AdditionalPluginDirectories } = (descriptor === undefined ? undefined : readDescriptor(descriptor)) ?? {}
  const named = listOf(Plugins).flatMap((one) => {
    const { Name, Enabled } = (one ?? {}) as { Name?: unknown; Enabled?: unknown }
    return typeof Name === 'string' ? [{ name: Name, isEnabled: Enabled !== false }] : []
  })
  const folders = ['Plugins', ...listOf(AdditionalPluginDirectories).filter((one) => typeof one === 'string')]
  return { named, own: folders.flatMap((folder) => pluginsBelow(resolve(root, folder), deepestFolder)) }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A plugin holds no other plugins. */
function pluginsBelow(folder: string, depth: number): OwnPlugin[] {
  const entries = entriesIn(folder)
  const own = entries.flatMap(({ name: file }) => {
    const name = /^(.+)\.uplugin$/i.exec(file)?.[1]
    return name === undefined ? [] : [{ name, path: join(folder, file) }]
  })
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
