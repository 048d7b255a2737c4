// The nodes of a glTF's default scene, as they hang below each other.
import { FormatError } from '../format-error.ts'
import type { GltfJson } from './json.ts'

/** A node as it is met from the scene's roots, parents first. */
export type PlacedNode = { index: number; parent: number | null; depth: number }

/** Deeper than any skeleton; keeps the library's recursion off the stack's end. */
const maxDepth = 500
/** The transform of a mesh costs a matrix product for every node above it: about a second in all. */
const maxDepthSum = 2_000_000
/** Walks the default scene. Every node has one place in it (section 5.25), which also rules out circles. */
export function placedNodes(json: GltfJson): PlacedNode[] {
  const placed: PlacedNode[] = []
  const seen = new Set<number>()
  const roots = json.scenes?.[json.scene ?? 0]?.nodes ?? []
  const open: PlacedNode[] = roots.map((index) => ({ index, parent: null, depth: 0 })).reverse()
  let depthSum = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { index, depth } = next
    const node = item(json.nodes ?? [], index, 'node')
    if (seen.has(index)) throw damaged(`node ${index} stands in two places`)
    seen.add(index)
    placed.push(next)
    if (node.mesh !== undefined) depthSum += depth
    if (depth > maxDepth || depthSum > maxDepthSum)
      throw new FormatError('too-large', 'The glTF scene is nested too deeply to be read.')
    for (const child of (node.children ?? []).toReversed()) open.push({ index: child, parent: index, depth: depth + 1 })
  }
  return placed
}

/** Throws FormatError `damaged` where the list has no such item. */
export function item<T>(list: T[], index: number, what: string): T {
  const found = list[index]
  if (found === undefined) throw damaged(`it names ${what} ${index} of ${list.length}`)
  return found
}

export function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The glTF file is damaged: ${problem}.`)
}
