/** Which folders of a project hold what a look at it would find: as its walk goes (client/project/scan.ts), one folder at a time. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { IgnoreRules } from '../../../client/project/ignore-rules.ts'
import { holdsDescriptor, isContentFolder } from '../../../client/project/unreal-project.ts'

/** A folder that the walk goes into. */
export interface FolderPlace {
  rules: IgnoreRules
  /** It is a Content folder, … */
  isContent: boolean
  /** … or lies in one. */
  isInContent: boolean
}

export class FolderPlaces {
  readonly #root: string
  readonly #known = new Map<string, FolderPlace | undefined>()

  constructor(root: string) {
    this.#root = root
  }

  /** By its path below the root, empty for the root itself. Undefined where the walk does not go. */
  at(folder: string): FolderPlace | undefined {
    if (this.#known.has(folder)) return this.#known.get(folder)
    const place = folder === '' ? this.#rootPlace() : this.#placeOf(folder)
    this.#known.set(folder, place)
    return place
  }

  /** Whether a look at the whole project finds a file of this path. */
  takes(file: string): boolean {
    const [folder, name] = split(file)
    const place = name.startsWith('.') ? undefined : this.at(folder)
    return place !== undefined && !place.rules.ignoresFile(file)
  }

  forget(folder: string): void {
    for (const one of this.#known.keys()) if (one === folder || one.startsWith(`${folder}/`)) this.#known.delete(one)
  }

  #rootPlace(): FolderPlace {
    const rules = rulesOr(IgnoreRules.none, () => IgnoreRules.forStart(this.#root, ''))
    return { rules, isContent: false, isInContent: false }
  }

  #placeOf(folder: string): FolderPlace | undefined {
    const [above, name] = split(folder)
    const parent = this.at(above)
    if (!parent || name.startsWith('.')) return undefined
    if (parent.rules.ignoresFolder(folder, { name, atTopOfContent: parent.isContent })) return undefined
    const isContent = !parent.isInContent && isContentFolder(name, this.#hasDescriptor(above, name))
    const rules = rulesOr(parent.rules, () => parent.rules.within(join(this.#root, folder), `${folder}/`))
    return { rules, isContent, isInContent: isContent || parent.isInContent }
  }

  #hasDescriptor = (folder: string, name: string): boolean =>
    name.toLowerCase() === 'content' && holdsDescriptor(join(this.#root, folder))
}

/** A list that cannot be read leaves out nothing here: the look that follows says what is wrong with it. */
function rulesOr(otherwise: IgnoreRules, read: () => IgnoreRules): IgnoreRules {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** Paths with `/`. */
function split(file: string): [folder: string, name: string] {
  const at = file.lastIndexOf('/')
  return at === -1 ? ['', file] : [file.slice(0, at), file.slice(at + 1)]
}

/** Where it lies; of what is gone, the nearest folder that is there, which says what is missing. Undefined where not even the root is. */
export function nearestThere(root: string, file: string): string | undefined {
  for (let at = join(root, file); at.length >= root.length; at = dirname(at)) {
    if (existsSync(at)) return at
    if (at === dirname(at)) break
  }
  return undefined
}
