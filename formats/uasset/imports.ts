// The import table of an Unreal package: which other packages it needs.
import type { NameTable } from './names.ts'
import type { PackageReader } from './reader.ts'
import { hasFlag, packageFlags, type Summary } from './summary.ts'

const outerAt = 16
const objectNameAt = 20
const packageNameAt = 28
const noRoot = -1
const onThisPath = -2
const unknown = -3
/** Objects lie within three or four others. */
const maxOuters = 64

export class ImportTable {
  readonly count: number
  readonly #reader: PackageReader
  readonly #names: NameTable
  readonly #start: number
  readonly #entryBytes: number
  readonly #hasPackageName: boolean

  /** Throws FormatError when the table does not fit; entries are read only when asked for. */
  constructor(reader: PackageReader, names: NameTable, summary: Summary) {
    const { ue4, ue5 } = summary.versions
    this.#hasPackageName = ue4 >= 520 && !hasFlag(summary.flags, packageFlags.filterEditorOnly)
    this.#entryBytes = 28 + (this.#hasPackageName ? 8 : 0) + (ue5 >= 1003 ? 4 : 0)
    if (summary.imports.count !== 0) reader.enter(summary.imports, 'imports', this.#entryBytes)
    this.count = summary.imports.count
    this.#start = summary.imports.offset
    this.#reader = reader
    this.#names = names
  }

  /** Long names of all imported packages: sorted, each once. */
  packages(): string[] {
    const found = new Set<string>()
    for (let i = 0; i < this.count; i++) {
      const imported = this.#ownPackage(i)
      if (imported !== undefined) found.add(imported)
      const external = this.#externalPackage(i)
      if (external !== undefined) found.add(external)
    }
    return [...found].sort()
  }

  /**
   * The imported packages of which nothing is used in the game, only in the editor: sorted, each once.
   * `usedInGame` tells it for the import of an index.
   */
  editorOnlyPackages(usedInGame: (index: number) => boolean): string[] {
    const used = new Map<string, boolean>()
    const roots = this.#roots()
    for (let i = 0; i < this.count; i++) {
      const root = roots[i] ?? noRoot
      const holder = this.#externalPackage(i) ?? (root === noRoot ? undefined : this.#ownPackage(root))
      if (holder !== undefined) used.set(holder, (used.get(holder) ?? false) || usedInGame(i))
    }
    return [...used.keys()].filter((name) => used.get(name) === false).sort()
  }

  /** Long name of the package that an import lies in; undefined where its outers lead to none. */
  packageOf(index: number): string | undefined {
    let at = index
    for (let depth = 0; depth < maxOuters && at >= 0 && at < this.count; depth++) {
      const outer = this.#outer(at)
      const found = this.#externalPackage(at) ?? (outer === 0 ? this.#ownPackage(at) : undefined)
      if (found !== undefined || outer >= 0) return found
      at = -outer - 1
    }
    return undefined
  }

  objectName(index: number): string {
    return this.#nameAt(index, objectNameAt)
  }

  /** The long name when the import is a package itself. */
  #ownPackage(index: number): string | undefined {
    if (this.#outer(index) !== 0 || this.#nameAt(index, 8) !== 'Package') return undefined
    return this.objectName(index)
  }

  /** The package of an object that lies elsewhere than its outer does, as the actors of a partitioned level do. */
  #externalPackage(index: number): string | undefined {
    if (!this.#hasPackageName) return undefined
    const name = this.#nameAt(index, packageNameAt)
    return name === 'None' ? undefined : name
  }

  #outer(index: number): number {
    this.#reader.seek(this.#start + index * this.#entryBytes + outerAt)
    return this.#reader.i32()
  }

  #nameAt(index: number, at: number): string {
    if (!(index < this.count)) throw this.#reader.damaged(`means import ${index} of ${this.count}`)
    this.#reader.seek(this.#start + index * this.#entryBytes + at)
    return this.#names.read()
  }

  /** For each import its outermost outer; `noRoot` where the outers go in a circle or out of the table. Each is walked once. */
  #roots(): Int32Array {
    const roots = new Int32Array(this.count).fill(unknown)
    for (let i = 0; i < this.count; i++) {
      const path: number[] = []
      let at = i
      while (roots[at] === unknown) {
        roots[at] = onThisPath
        path.push(at)
        const outer = this.#outer(at)
        if (outer === 0) roots[at] = at
        else at = outer < 0 ? -outer - 1 : this.count
      }
      const end = roots[at] ?? noRoot
      for (const step of path) roots[step] = end === onThisPath ? noRoot : end
    }
    return roots
  }
}
