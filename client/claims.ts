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
      problems.push(problem('same-bytes', names, `${names.join(', ')} are the same file.`))
    }
    return [first, ...others] as Copies
  })
  return { groups, problems }
}

const rank = (file: SendableFile): number => (isAtHome(file) ? 0 : 2) + (isExternal(file) ? 1 : 0)

/** A package whose folder and header agree, or anything without a header's word. */
const isAtHome = ({ naming }: SendableFile): boolean =>
  naming.folderName === null || naming.packageName?.toLowerCase() === naming.folderName.toLowerCase()

/** Where an import of this file would land; files with different extensions do not meet. */
export function landingOf({ naming, found, facts }: SendableFile): string | undefined {
  const extension = facts.kind === 'package' ? (facts.assetClass === 'World' ? 'umap' : 'uasset') : found.ext
  return naming.originPath === null ? undefined : `${naming.originPath.toLowerCase()}.${extension}`
}

/** Of several different files for one place, the one that lies there goes; the others are named and stay. */
export function settleClaims(groups: readonly Copies[]): { kept: Copies[]; problems: Problem[] } {
  const problems: Problem[] = []
  const byLanding = Map.groupBy(groups, ([file]) => landingOf(file) ?? `?${file.hash}`)
  const kept: Copies[] = []
  for (const claims of byLanding.values()) {
    const [winner, ...losers] = claims.sort((a, b) => rank(a[0]) - rank(b[0]))
    if (winner) kept.push(winner)
    for (const [loser] of losers) {
      const place = loser.naming.originPath
      const what = isPackageFile(loser) ? 'calls itself' : 'is named like'
      const message = `${pathOf(loser)} ${what} ${place}, and so does ${winner ? pathOf(winner[0]) : ''}, which is another file.`
      problems.push(problem('path-claimed-twice', pathOf(loser), message))
    }
  }
  return { kept, problems }
}
