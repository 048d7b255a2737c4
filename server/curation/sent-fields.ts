/** What a PATCH says: only the fields that were sent change, and there is at least one (spec 1). */
import { validationError } from '../../contract/errors.ts'

/** Fields that are undefined are left out; VALIDATION when nothing remains. */
export function sentFields<I extends object, const K extends keyof I & string>(
  input: I,
  names: readonly K[],
): Partial<Pick<I, K>> & Record<string, string | number | boolean | null> {
  const sent = Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])))
  if (Object.keys(sent).length > 0) return sent as ReturnType<typeof sentFields<I, K>>
  throw validationError([{ path: 'body', message: `must hold at least one of: ${names.join(', ')}` }])
}
