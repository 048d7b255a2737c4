/** From the package names that files refer to, to the files and versions behind them (uasset-header 12.5). Pure. */

import { hash } from 'node:crypto'
import { isPartOf, levelsOf } from '../../../contract/level-parts.ts'
import { limits } from '../../../contract/limits.ts'
import { nameKey } from '../../../contract/names.ts'
import type { KnownPart, KnownParts } from '../../memory/level-parts.ts'
import { companionPath } from '../../project/companion-path.ts'
import { type Copies, isExternal, isPackageFile, type PushFile, pathOf } from '../../project/project-file.ts'

/** What there is beside the files of this push. */
export interface Elsewhere {
  /** The hash under which the library holds a package that this project pushed or pulled; the name is in lower case. */
  inLibrary(packageName: string): string | undefined
  /** Whether the library has a package at that path, whosever it is: the library decides whether it is meant. The name is in lower case. */
  isAtPath(packageName: string): boolean
  /** The file of a package that lies on disk and is not part of this push. */
  onDisk(packageName: string): string | undefined
  /** The plugin that holds a module of native code. */
  pluginOf(module: string): string | undefined
  /** Whether versions that the library keeps refer to a path. */
  isReferred(packageName: string): boolean
  /** The parts of a level that are known here. */
  partsOf(lineageId: string): KnownParts
  /** Whether a file lies on this disk. */
  isHere(file: string): boolean
}

/** What became of the references of one file. Package names as the file spells them. */
export interface References {
  /** By content hash; true: needed to load it. */
  needs: Map<string, boolean>
  /** Of a level: its external actors and objects. */
  parts: KnownPart[]
  /** What was resolved, in lower case: what the library was told. */
  told: string[]
  /** Packages of other plugins, which are not resolved. */
  plugins: string[]
  missing: string[]
  missingSoft: string[]
  /** On disk, but neither in this push nor in the library. */
  unpushed: string[]
  /** Files of this push that cannot go themselves. */
  blocked: string[]
  /** Packages that are neither in this push nor in the library as far as it is known: all of the three above. */
  absent: string[]
  /** Names of other plugins that hold such packages. */
  absentPlugins: string[]
  /** Names of other plugins whose classes it uses. */
  codePlugins: string[]
  redirected: { from: string; to: string }[]
  /** How many were left out because there are too many. */
  beyondLimit: number
}

type Target =
  | { kind: 'item'; hash: string }
  | { kind: 'redirector'; hash: string; to: string | null }
  | { kind: 'blocked'; file: string }

/** Every package of a push by its name. */
export class ReferenceIndex {
  readonly #targets = new Map<string, Target>()
  /** By the name that a folder gives, where the header says another: references follow the folders. */
  readonly #byFolder = new Map<string, Target>()
  readonly #byFile = new Map<string, string>()
  /** Content hashes of external packages, by the level they belong to. */
  readonly #externals = new Map<string, KnownPart[]>()
  readonly #elsewhere: Elsewhere

  constructor(elsewhere: Elsewhere) {
    this.#elsewhere = elsewhere
  }

  addItem(copies: Copies): void {
    for (const file of copies) {
      this.#byFile.set(nameKey(pathOf(file)), file.hash)
      if (isPackageFile(file)) this.#add(file, { kind: 'item', hash: file.hash })
    }
  }

  addRedirector(file: PushFile, to: string | null): void {
    this.#add(file, { kind: 'redirector', hash: file.hash, to })
  }

  addBlocked(file: PushFile): void {
    this.#byFile.delete(nameKey(pathOf(file)))
    if (isPackageFile(file) || file.facts.kind === 'refused') this.#add(file, { kind: 'blocked', file: pathOf(file) })
  }

  /** Call once all packages are in: gives each external package to its level. Answers those whose level was not found. */
  assignExternals(items: readonly Copies[]): Copies[] {
    const homeless: Copies[] = []
    // Which level it is says the folder, of which a level of many has few.
    const levels = new Map<string, string | undefined>()
    const levelOf = (name: string): string | undefined =>
      levelsOf(name).find((candidate) => this.#target(nameKey(candidate))?.kind === 'item')
    for (const copies of items) {
      const [file] = copies
      const name = file.naming.packageName
      if (name === null || !isExternal(file)) continue
      const folder = name.slice(0, name.lastIndexOf('/'))
      if (!levels.has(folder)) levels.set(folder, levelOf(name))
      const level = levels.get(folder)
      if (level === undefined) homeless.push(copies)
      else this.#externalsOf(nameKey(level)).push({ path: name, file: pathOf(file), hash: file.hash })
    }
    return homeless
  }

  /** Resolves everything that a file refers to. */
  resolve(file: PushFile): References {
    const found = emptyReferences()
    const { facts, naming } = file
    if (facts.kind === 'source') for (const companion of facts.companions) this.#addCompanion(found, file, companion)
    if (facts.kind !== 'package') return found
    const own = keyOf(naming.packageName)
    const context = { found, isInGame: own?.startsWith('/game/') ?? false, own }
    for (const name of facts.imports) this.#addReference(context, name, true)
    for (const name of facts.softReferences) this.#addReference(context, name, false)
    for (const module of facts.modules ?? []) this.#addModule(found, module, own)
    // A new version of an actor is news to its level, although the level's own file did not change.
    found.parts = this.#externals.get(own ?? '') ?? []
    for (const { path, hash } of found.parts) found.told.push(`${nameKey(path)} ${hash}`)
    found.needs.delete(file.hash)
    return found
  }

  #externalsOf(level: string): KnownPart[] {
    const list = this.#externals.get(level) ?? []
    this.#externals.set(level, list)
    return list
  }

  #add({ naming }: PushFile, target: Target): void {
    const name = keyOf(naming.packageName)
    const folderName = keyOf(naming.folderName)
    if (name !== undefined && !this.#targets.has(name)) this.#targets.set(name, target)
    if (folderName !== undefined && folderName !== name && !this.#byFolder.has(folderName)) this.#byFolder.set(folderName, target)
  }

  #target(key: string): Target | undefined {
    return this.#targets.get(key) ?? this.#byFolder.get(key)
  }

  #addCompanion(found: References, file: PushFile, companion: string): void {
    const path = companionPath(pathOf(file), companion)
    const hash = path === undefined ? undefined : this.#byFile.get(nameKey(path))
    if (hash === undefined) found.missing.push(companion)
    else if (addNeed(found, hash, true)) found.told.push(companion.toLowerCase())
  }

  /** A plugin's own content comes with its code. */
  #addModule(found: References, module: string, own: string | undefined): void {
    const plugin = this.#elsewhere.pluginOf(module)
    if (plugin !== undefined && !own?.startsWith(`/${plugin.toLowerCase()}/`)) found.codePlugins.push(plugin)
  }

  #addReference(context: ReferenceContext, name: string, hard: boolean): void {
    const { found, own = '' } = context
    const key = nameKey(name)
    // The engine's own content comes with the engine. A level is told of its actors, not they of it.
    if (key === own || key.startsWith('/engine/') || isPartOf(own, key)) return
    const target = this.#follow(found, name)
    const end = target.hash ?? this.#elsewhere.inLibrary(target.key)
    // The file names the redirector, and this one what it stands for.
    const hash = end === undefined ? undefined : (target.via ?? end)
    if (context.isInGame && !target.key.startsWith('/game/')) addPlugin(found, name, hash === undefined)
    if (hash !== undefined) {
      if (addNeed(found, hash, hard)) found.told.push(target.via === undefined ? target.key : key)
    } else if (target.blocked) {
      found.blocked.push(target.blocked)
      found.absent.push(name)
    } else if (context.isInGame && !target.key.startsWith('/game/')) return
    else if (this.#elsewhere.isAtPath(target.key)) found.absent.push(name)
    else this.#addAbsent(found, { name, key: target.key, hard, isInGame: context.isInGame, own })
  }

  #addAbsent(
    found: References,
    {
      name,
      key,
      hard,
      isInGame,
      own = '',
    }: { name: string; key: string; hard: boolean; isInGame: boolean; own?: string | undefined },
  ): void {
    const onDisk = this.#elsewhere.onDisk(key)
    if (onDisk === undefined && !isInGame && !key.startsWith('/game/') && rootOf(key) !== rootOf(own)) {
      addPlugin(found, name, true)
      return
    }
    found.absent.push(name)
    if (onDisk !== undefined) found.unpushed.push(onDisk)
    else if (hard) found.missing.push(name)
    else found.missingSoft.push(name)
  }

  /** Follows redirectors to where they lead; circles among them lead nowhere. `via`: the first of them. */
  #follow(found: References, name: string): { key: string; hash?: string; blocked?: string; via?: string } {
    let key = nameKey(name)
    let via: { via?: string } = {}
    for (let hops = 0; hops < 16; hops++) {
      const target = this.#target(key)
      if (target?.kind === 'item') return { key, hash: target.hash, ...via }
      if (target?.kind === 'blocked') return { key, blocked: target.file }
      if (!target?.to) return { key, ...via }
      via = { via: via.via ?? target.hash }
      found.redirected.push({ from: name, to: target.to })
      key = nameKey(target.to)
    }
    return { key }
  }
}

const keyOf = (name: string | null): string | undefined => (name === null ? undefined : nameKey(name))

function addPlugin(found: References, name: string, isAbsent: boolean): void {
  found.plugins.push(name)
  if (isAbsent) found.absentPlugins.push(rootOf(name).slice(1))
}

/** `/tools` of `/tools/sm_hinge`. */
const rootOf = (key: string): string => key.slice(0, key.indexOf('/', 1))

interface ReferenceContext {
  found: References
  isInGame: boolean
  own: string | undefined
}

const emptyReferences = (): References => ({
  needs: new Map(),
  parts: [],
  told: [],
  plugins: [],
  missing: [],
  missingSoft: [],
  unpushed: [],
  blocked: [],
  absent: [],
  absentPlugins: [],
  codePlugins: [],
  redirected: [],
  beyondLimit: 0,
})

function addNeed(found: References, hash: string, hard: boolean): boolean {
  if (!found.needs.has(hash) && found.needs.size >= limits.manifest.dependenciesPerItem) {
    found.beyondLimit++
    return false
  }
  found.needs.set(hash, hard || found.needs.get(hash) === true)
  return true
}

/** One short text for what the library was told of a file's needs; it changes when there is more to tell. */
export function edgesKey({ told }: References): string {
  return told.length === 0 ? '' : hash('sha1', [...told].sort().join('\n'), 'base64')
}
