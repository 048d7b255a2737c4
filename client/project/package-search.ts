/** Finds on disk what named files need: packages by their names, companions beside models, the parts of levels. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { nameKey } from '../../contract/names.ts'
import { companionPath } from './companion-path.ts'
import { statKey } from './fingerprint.ts'
import type { PushFile } from './project-file.ts'
import { extensionOf, type FoundFile, scan } from './scan.ts'
import { type Mount, mountAt, pathOfPackage } from './unreal-project.ts'

const externalFolders = ['__ExternalActors__', '__ExternalObjects__']

/** Looks below one project's Content folders: of the project itself and of the plugins that were named. */
export class PackageSearch {
  readonly #root: string
  readonly #mounts: Mount[]
  readonly #listings = new Map<string, Map<string, string>>()

  constructor(root: string, mounts: readonly (Mount | undefined)[]) {
    this.#root = root
    const named = mounts.filter((mount) => mount !== undefined)
    const own = join(root, 'Content')
    const hasGame = named.some(({ name }) => name === '/Game')
    this.#mounts = hasGame || !existsSync(own) ? named : [...named, mountAt(own, root)]
  }

  /** The file of a package, whatever the case of its name. */
  findPackage(packageName: string): FoundFile | undefined {
    for (const mount of this.#mounts) {
      const path = pathOfPackage(mount, packageName)
      for (const ext of path === undefined ? [] : ['uasset', 'umap']) {
        const found = this.#find(mount.folder, `${path}.${ext}`)
        if (found) return this.#toFound(found, mount)
      }
    }
    return undefined
  }

  /** A file by its path below the root, when it is there. */
  findFile(file: string): FoundFile | undefined {
    const path = join(this.#root, file)
    return existsSync(path)
      ? this.#toFound(
          path,
          this.#mounts.find(({ prefix }) => file.startsWith(prefix)),
        )
      : undefined
  }

  /** Everything on disk that a file cannot do without. */
  async findNeeds(file: PushFile): Promise<FoundFile[]> {
    const { facts, found, naming } = file
    if (facts.kind === 'source') return facts.companions.flatMap((address) => this.#findCompanion(found, address) ?? [])
    if (facts.kind !== 'package') return []
    const needed = facts.imports.flatMap((name) => this.findPackage(name) ?? [])
    const isLevel = facts.assetClass === 'World' && naming.packageName !== null
    return isLevel ? [...needed, ...(await this.#findParts(naming.packageName ?? ''))] : needed
  }

  #findCompanion({ file, mount }: FoundFile, address: string): FoundFile | undefined {
    const path = companionPath(file, address)
    const at = path === undefined ? undefined : this.#find(this.#root, path)
    return at === undefined ? undefined : this.#toFound(at, mount)
  }

  /** The actors of a level that are kept one file each. */
  async #findParts(level: string): Promise<FoundFile[]> {
    const parts: FoundFile[] = []
    for (const mount of this.#mounts)
      for (const folder of externalFolders) {
        const path = join(mount.folder, folder, pathOfPackage(mount, level) ?? '?')
        if (existsSync(path)) parts.push(...(await scan(this.#root, [{ path, mount }])).files)
      }
    return parts
  }

  /** Names of packages and companions are one whatever their letters; disks are not all like that. */
  #find(folder: string, path: string): string | undefined {
    const exact = join(folder, path)
    if (existsSync(exact)) return exact
    let at = folder
    for (const part of path.split('/')) {
      const name = this.#listing(at).get(nameKey(part))
      if (name === undefined) return undefined
      at = join(at, name)
    }
    return at
  }

  #listing(folder: string): Map<string, string> {
    const known = this.#listings.get(folder)
    if (known) return known
    const names = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []
    const listing = new Map(names.map((name) => [nameKey(name), name]))
    this.#listings.set(folder, listing)
    return listing
  }

  #toFound(path: string, mount: Mount | undefined): FoundFile {
    const stats = statSync(path, { bigint: true })
    const file = relative(this.#root, path).split(sep).join('/')
    return { file, ext: extensionOf(file), size: Number(stats.size), stat: statKey(stats), mount }
  }
}
