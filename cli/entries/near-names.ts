/** Names that are meant, perhaps, by one that is not there. */
const mostNames = 4
/** A part that is shorter says nothing. */
const shortestPart = 3

/** Those that differ in a few letters or hold each other, nearest first. Case, blanks, `_` and `-` count for nothing. */
export function nearNames(typed: string, names: readonly string[]): string[] {
  const typedName = folded(typed)
  return names
    .flatMap((name) => {
      const distance = distanceBetween(typedName, folded(name))
      return isNear(typedName, folded(name), distance) ? [{ name, distance }] : []
    })
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, mostNames)
    .map(({ name }) => name)
}

const folded = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '')

function isNear(one: string, other: string, distance: number): boolean {
  const [short = '', long = ''] = one.length < other.length ? [one, other] : [other, one]
  return distance <= Math.max(1, Math.floor(short.length / 3)) || (short.length >= shortestPart && long.includes(short))
}

/** Letters to add, take away, change, or swap with the next (optimal string alignment). */
function distanceBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= other.length; j++) {
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const isSame = one[i - 1] === other[j - 1]
      row.push(
        Math.min(
          at(i, j - 1) + 1,
          at(i - 1, j) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(one.length, other.length)
}
