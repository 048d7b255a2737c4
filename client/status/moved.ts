/** Files that nobody pushed from where they are: whether a prop was moved there in the editor, and from where. */
import type { Faces, KnownDetail, KnownRedirector } from '../memory/current-versions.ts'
import type { KnownBy } from './report.ts'

export interface Moved {
  /** Where the prop was when it was pushed or pulled. */
  from: string
  by: Extract<KnownBy, 'guid' | 'redirector'>
}

/** Redirectors are followed so far, as the engine does. */
const mostSteps = 16

/**
 * By file. A package keeps its GUID when it is renamed on the disk; when the editor moves it, the redirector in its old place leads to it.
 * `isGone`: whether a file is not there any more.
 */
export function findMoved(
  untracked: readonly KnownDetail[],
  faces: Faces,
  isGone: (file: string) => boolean,
): Map<string, Moved> {
  const moved = new Map<string, Moved>()
  if (untracked.length === 0) return moved
  const redirectors = faces.redirectors().filter(({ file }) => !isGone(file))
  const isRedirector = new Set(redirectors.map(({ file }) => file))
  for (const { file, from } of faces.namesakes())
    if (isGone(from) || isRedirector.has(from)) moved.set(file, { from, by: 'guid' })
  const leading = targetsOf(redirectors)
  for (const { file, package: name } of untracked) {
    const from = leading.get(name ?? '')
    if (from !== undefined && !moved.has(file)) moved.set(file, { from, by: 'redirector' })
  }
  return moved
}

/** By the package where a chain of redirectors ends: the file of the prop that was there before the first of them. */
function targetsOf(redirectors: readonly KnownRedirector[]): Map<string, string> {
  const next = new Map(redirectors.map((one) => [one.package ?? '', one.target]))
  const ends = new Map<string, string>()
  for (const { file, target, isFormer } of redirectors) {
    if (!isFormer) continue
    let end = target
    for (let step = 1; step < mostSteps; step++) end = next.get(end) ?? end
    ends.set(end, file)
  }
  return ends
}
