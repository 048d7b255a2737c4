/** Types of events as people name them, whole or by their beginning. */
import { activityTypes } from '../../../contract/activity.ts'
import { nearNames } from '../../entries/near-names.ts'
import { wrongUsage } from '../../refusal.ts'

/** `push` means `push.commit`, `push.undo` and `push.enrich`; one with a dot may be a type that only the server knows. */
export function typesMeant(given: string): string[] {
  const typed = given.trim().toLowerCase()
  const found = activityTypes.filter((type) => type === typed || type.startsWith(`${typed.replace(/\.$/, '')}.`))
  if (found.length > 0) return found
  const near = nearNames(typed, activityTypes)
  if (/^[a-z_]+\.[a-z_]+$/.test(typed) && typed.length <= 64 && near.length === 0) return [typed]
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  throw wrongUsage(`There is no type of event "${given}".`, `${meant}See \`ph help activity\` for all of them.`)
}
