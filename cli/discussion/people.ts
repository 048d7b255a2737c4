/** People by the names that others see. */
import type { UserStub } from '../../contract/shapes.ts'
import { printable } from '../../system/printable.ts'
import { number } from '../terminal/amounts.ts'

/** Null: nobody, or someone whom the library does not know any more. */
export const personName = (person: UserStub | null): string =>
  person === null ? 'Someone' : printable(person.display_name || person.name)

/** `Mia`, `Mia and Max`, `Mia, Max and 3 more` */
export function listed(names: readonly string[], most = 5): string {
  const hidden = names.length - most
  const shown = hidden > 0 ? [...names.slice(0, most), `${number(hidden)} more`] : names
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
