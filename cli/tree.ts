/** Trees as lines of text: `├─`, `└─` and what hangs below. */

export interface Branch {
  label: string
  children: Branch[]
}

/** Deeper than this, nobody reads on and the lines no longer fit. */
const DEEPEST = 24

/** Branches, drawn; at most `mostLines` lines, the last of which then says how many are missing. */
export function treeLines(roots: readonly Branch[], mostLines = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = []
  const draw = (branches: readonly Branch[], indent: string) => {
    for (const [at, { label, children }] of branches.entries()) {
      const last = at === branches.length - 1
      lines.push(`${indent}${last ? '└─ ' : '├─ '}${label}`)
      draw(children, `${indent}${last ? '   ' : '│  '}`)
    }
  }
  draw(roots, '')
  if (lines.length <= mostLines) return lines
  return [...lines.slice(0, mostLines - 1), `… and ${lines.length - mostLines + 1} more`]
}

interface Linked {
  object_id: number
  via_object_id: number | null
}

/** Members that each name the one they hang on, as branches below the root. What lies deeper than 24 levels is left out. */
export function branchesBelow<M extends Linked>(root: number, members: readonly M[], label: (member: M) => string): Branch[] {
  const below = Map.groupBy(members, ({ via_object_id }) => via_object_id)
  const take = (parent: number): M[] => {
    const mine = below.get(parent) ?? []
    below.delete(parent)
    return mine
  }
  const grow = (parent: number, depth: number): Branch[] =>
    take(parent).map((member) => ({
      label: label(member),
      children: depth < DEEPEST ? grow(member.object_id, depth + 1) : [],
    }))
  return grow(root, 1)
}
