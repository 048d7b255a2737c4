/** Trees as lines of text: `├─`, `└─` and what hangs below. */
import { number } from './amounts.ts'

export interface Branch {
  label: string
  children: Branch[]
}

export interface TreeBounds {
  /** Branches drawn in all; those nearest to the root come first. */
  most: number
  /** Levels drawn. */
  deepest: number
}

export interface DrawnTree {
  lines: string[]
  /** Branches that are left out. */
  hidden: number
}

/** Branches, drawn. Where some are left out, a line says how many, with all that hangs on them. */
export function drawTree(roots: readonly Branch[], { most, deepest }: TreeBounds): DrawnTree {
  const levels = levelsOf(roots)
  const nearest = levels.slice(0, deepest).flat().slice(0, most)
  const shown = new Set(nearest)
  const sizes = sizesOf(levels)
  const lines: string[] = []
  const draw = (branches: readonly Branch[], indent: string) => {
    const drawn = branches.filter((branch) => shown.has(branch))
    const hidden = branches.reduce((sum, branch) => sum + (shown.has(branch) ? 0 : (sizes.get(branch) ?? 0)), 0)
    for (const [at, { label, children }] of drawn.entries()) {
      const last = at === drawn.length - 1 && hidden === 0
      lines.push(`${indent}${last ? '└─ ' : '├─ '}${label}`)
      draw(children, `${indent}${last ? '   ' : '│  '}`)
    }
    if (hidden > 0) lines.push(`${indent}└─ … ${number(hidden)} more`)
  }
  draw(roots, '')
  return { lines, hidden: sizes.size - shown.size }
}

/** Branches by how far they are from the root. */
function levelsOf(roots: readonly Branch[]): Branch[][] {
  const levels: Branch[][] = []
  for (let level = [...roots]; level.length > 0; level = level.flatMap(({ children }) => children)) levels.push(level)
  return levels
}

/** How many each branch is, with all below it: from the leaves up, so that no depth is too much. */
function sizesOf(levels: readonly Branch[][]): Map<Branch, number> {
  const sizes = new Map<Branch, number>()
  for (const level of levels.toReversed())
    for (const branch of level)
      sizes.set(
        branch,
        branch.children.reduce((sum, child) => sum + (sizes.get(child) ?? 0), 1),
      )
  return sizes
}

interface Linked {
  object_id: number
  via_object_id: number | null
}

/** Members that each name the one they hang on, as branches below the root. Each stands once; what hangs on nothing is left out. */
export function branchesBelow<M extends Linked>(root: number, members: readonly M[], label: (member: M) => string): Branch[] {
  const below = Map.groupBy(members, ({ via_object_id }) => via_object_id)
  const top: Branch[] = []
  const open = [{ id: root, into: top }]
  for (let next = open.pop(); next; next = open.pop()) {
    const mine = below.get(next.id) ?? []
    below.delete(next.id)
    for (const member of mine) {
      const branch = { label: label(member), children: [] }
      next.into.push(branch)
      open.push({ id: member.object_id, into: branch.children })
    }
  }
  return top
}
