/** Paths with `*`, which stands for any characters, slashes too: split where a folder ends, so that each folder is looked at once. */

/** Texts that follow each other, the first at the beginning, the last at the end, with anything between two of them. */
export interface Glob {
  pieces: readonly [string, ...string[]]
  /** Whether any text at all matches. */
  isOpen: boolean
}

function toGlob(pattern: string): Glob {
  const pieces = pattern.split(/\*+/) as [string, ...string[]]
  return { pieces, isOpen: pieces.length > 1 && pieces.every((piece) => piece === '') }
}

const everything = toGlob('*')

/**
 * Whether the first `length` characters of a text match. Each piece is taken where it first stands behind the one before: no later
 * place would leave more room for those that follow.
 */
export function isMatch({ pieces }: Pick<Glob, 'pieces'>, text: string, length = text.length): boolean {
  const [first] = pieces
  if (!text.startsWith(first)) return false
  if (pieces.length === 1) return first.length === length
  let at = first.length
  for (let next = 1; next < pieces.length - 1; next++) {
    const piece = pieces[next] as string
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  const last = pieces[pieces.length - 1] as string
  return length - last.length >= at && text.endsWith(last, length)
}

/**
 * What the last segment of a path has to be, by what its folder is. A star of the pattern may stand for the end of the folder, the slash
 * and the beginning of the last segment; the later that star, the less is left to ask of the last segment.
 */
export class PathPattern {
  /** From the last star to the first; the pattern that ends at its last slash comes at the end. */
  readonly #ways: { folder: Glob; leaf: Glob }[] = []

  /** In lower case. What ends in a slash stands for everything below it. */
  constructor(glob: string) {
    const pattern = glob.endsWith('/') ? `${glob}*` : glob
    const slash = pattern.lastIndexOf('/')
    for (let star = pattern.lastIndexOf('*'); star > slash; star = pattern.lastIndexOf('*', star - 1)) {
      this.#ways.push({ folder: toGlob(pattern.slice(0, star + 1)), leaf: toGlob(pattern.slice(star)) })
      if (star === 0) break
    }
    if (slash >= 0) this.#ways.push({ folder: toGlob(pattern.slice(0, slash)), leaf: toGlob(pattern.slice(slash + 1)) })
  }

  /** `folder` ends with its slash. Undefined: no path in it matches. */
  leafIn(folder: string): Glob | undefined {
    const [first] = this.#ways
    if (first?.leaf.isOpen && isMatch(first.folder, folder)) return everything
    for (const way of this.#ways) if (isMatch(way.folder, folder, folder.length - 1)) return way.leaf
    return undefined
  }
}
