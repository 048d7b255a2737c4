/** What is said of a prop that someone deleted from the library. */
import type { Deletion } from '../../contract/lineages.ts'

/** `by ada on 2026-11-27`, by the clock of this machine. */
export function deletedBy({ at, by }: Pick<Deletion, 'at' | 'by'>): string {
  const day = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  const date = `on ${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
  return by ? `by ${by.name} ${date}` : date
}
