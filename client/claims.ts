/** Which of several files stands for one prop: copies with the same bytes, and packages that claim the same path. Pure. */

import { isExternal, isPackageFile, pathOf, type SendableFile } from './push-file.ts'
import { type Problem, problem } from './push-problem.ts'

/** Files with the same bytes; the first one names the item. */
export type Copies = [SendableFile, ...SendableFile[]]

/** Groups by content. In front stands the file that is where its header says, then one that may be an entry, then the first. */
export function groupCopies(files: readonly SendableFile[]): { groups: Copies[]; problems: Problem[] } {
  const problems: Problem[] = []
  const groups = [...Map.groupBy(files, (file) => file.hash).values()].map((group) => {
    const [first, ...others] = group.sort((a, b) => rank(a) - rank(b)) as Copies
    if (others.length > 0) {
      const names = group.map(pathOf)
      problems.push(problem('same-bytes', names, sameWords(names)))
    }
    return [first, ...others] as Copies
  })
  return { groups, problems }
}

/** Two are named in the sentence, more of them below it. */
const sameWords = (names: readonly string[]): string =>
  names.length === 2 ? `${names.join(' and ')} are the same file.` : `${names.length} files are the same, byte for byte.`

const rank = (file: SendableFile): number => (isAtHome(file) ? 0 : 2) + (isExternal(file) ? 1 : 0)

/** A package whose folder and header agree, or anything without a header's word. */
const isAtHome = ({ naming }: SendableFile): boolean =>
  naming.folderName === null || naming.packageName?.toLowerCase() === naming.folderName.toLowerCase()

/** Where an import of this file would land; files with different extensions do not meet. */
export function landingOf({ naming, found, facts }: SendableFile): string | undefined {
  const extension = facts.kind === 'package' ? (facts.assetClass === 'World' ? 'umap' : 'uasset') : found.ext
  return naming.originPath === null ? undefined : `${naming.originPath.toLowerCase()}.${extension}`
}

/**
 * Of several different files for one place, the one that lies there has it. The others go without a place and without the
 * GUID that they share with it: as props of their own, which somebody has to give a name of their own.
 */
export function settleClaims(groups: readonly Copies[]): { groups: Copies[]; problems: Problem[] } {
  const problems: Problem[] = []
  const displaced = new Set<Copies>()
  for (const claims of Map.groupBy(groups, ([file]) => landingOf(file) ?? `?${file.hash}`).values()) {
    const [winner, ...losers] = claims.toSorted((a, b) => rank(a[0]) - rank(b[0]))
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
