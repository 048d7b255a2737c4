/** Which of several files stands for one prop: copies with the same bytes, and packages that claim the same path. Pure. */

import { nameKey } from '../../../contract/names.ts'
import { packageExtension } from '../../../formats/package-place.ts'
import { type Problem, problem } from '../../project/problem.ts'
import type { Copies } from '../../project/project-file.ts'
import { isExternal, isPackageFile, pathOf, type SendableFile } from '../../project/project-file.ts'
import { nameOf } from './manifest-item.ts'

/** Groups by content. In front stands the file that is where its header says, then one that may be an entry, then the first. */
export function groupCopies(files: readonly SendableFile[]): Copies[] {
  return [...Map.groupBy(files, (file) => file.hash).values()].map(
    (group) => group.toSorted((a, b) => rank(a) - rank(b)) as Copies,
  )
}

/** Says which files have the same bytes, and which prop they are. `names`: of props that are not called like their file. */
export function nameCopies(groups: readonly Copies[], names: ReadonlyMap<string, string>): Problem[] {
  return groups.flatMap((group) => {
    const [first, ...others] = group
    if (others.length === 0) return []
    const prop = names.get(first.hash) ?? nameOf(first)
    const other = others.find((file) => nameKey(nameOf(file)) !== nameKey(nameOf(first)))
    const next = other && otherNameAdvice(other, shellName(prop))
    const files = group.map(pathOf)
    return [problem('same-bytes', files, { message: sameWords(files, prop), next })]
  })
}

/** Two are named in the sentence, more of them below it. */
const sameWords = ([first, other, ...more]: readonly string[], prop: string): string =>
  more.length === 0
    ? `${other} has the same bytes as ${first}: both are the prop ${prop}.`
    : `${more.length + 2} files have the same bytes: all are the prop ${prop}.`

const shellName = (name: string): string => (/^[\w./-]+$/.test(name) ? name : `"${name.replaceAll(/["\\$`]/g, '')}"`)

const rank = (file: SendableFile): number => (isAtHome(file) ? 0 : 2) + (isExternal(file) ? 1 : 0)

/** A package whose folder and header agree, or anything without a header's word. */
const isAtHome = ({ naming }: SendableFile): boolean =>
  naming.folderName === null || nameKey(naming.packageName ?? '') === nameKey(naming.folderName)

/** Where an import of this file would land; files with different extensions do not meet. */
export function destinationOf({ naming, found, facts }: SendableFile): string | undefined {
  const extension = facts.kind === 'package' ? packageExtension(facts.assetClass) : found.ext
  return naming.originPath === null ? undefined : `${naming.originPath.toLowerCase()}.${extension}`
}

/**
 * Of several different files for one place, the one that lies there keeps it. The others go without a place and without the
 * GUID that they share with it: as props of their own, which need another name.
 */
export function settleSharedPaths(groups: readonly Copies[]): { groups: Copies[]; problems: Problem[] } {
  const problems: Problem[] = []
  const displaced = new Set<Copies>()
  for (const rivals of Map.groupBy(groups, ([file]) => destinationOf(file) ?? `?${file.hash}`).values()) {
    const [winner, ...losers] = rivals.toSorted((a, b) => rank(a[0]) - rank(b[0]))
    for (const group of losers) {
      displaced.add(group)
      const [loser] = group
      const what = isPackageFile(loser) ? 'calls itself' : 'is named like'
      const other = winner ? pathOf(winner[0]) : ''
      const message = `${pathOf(loser)} ${what} ${loser.naming.originPath}, and so does ${other}, which is another file.`
      problems.push(problem('path-claimed-twice', pathOf(loser), message))
    }
  }
  return { groups: groups.map((group) => (displaced.has(group) ? displace(group) : group)), problems }
}

/** Found by references under the name of its folder only. */
function displace([first, ...others]: Copies): Copies {
  const { facts, naming } = first
  const nameless = facts.kind === 'package' ? { ...facts, guid: null } : facts
  return [{ ...first, facts: nameless, naming: { ...naming, packageName: naming.folderName, originPath: null } }, ...others]
}

/** What to do for a file to be found by its own name too, or to be a prop of its own: bytes are kept once. */
export function otherNameAdvice(file: SendableFile, entry: string): string {
  const name = nameOf(file).replaceAll(/["\\$`]/g, '')
  const own = isPackageFile(file) ? 'duplicate it in the editor, save, and push' : 'change the file and push'
  return `To find it by its own name too: \`ph tag add "${name}" ${entry} --create\`. To make it a prop of its own: ${own}.`
}
