/** What sets of the parts of levels changed, in words. */
import { number } from '../../terminal/amounts.ts'

/** `+3, 1 changed, −1` */
export function setChanges({ added, changed, removed }: { added: number; changed: number; removed: number }): string {
  const parts = [
    ...(added > 0 ? [`+${number(added)}`] : []),
    ...(changed > 0 ? [`${number(changed)} changed`] : []),
    ...(removed > 0 ? [`−${number(removed)}`] : []),
  ]
  return parts.length > 0 ? parts.join(', ') : 'the same actors'
}
