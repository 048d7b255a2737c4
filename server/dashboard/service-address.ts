/** Where programs reach a workspace, as it is written behind `--url`. */
import { originOf } from '../front-door/origin.ts'
import type { Visit } from './visit.ts'

/** The first workspace answers at the bare address too; `slug` names another than that of the visit. */
export function addressOf({ request, parts }: Visit, slug: string | undefined = request.workspaceSlug): string {
  const origin = originOf(request, parts.settings)
  return slug === undefined ? origin : `${origin}/w/${slug}`
}

/** An address as one word of a command, for every shell: a number in brackets would be a pattern to some. Others hold no such letters. */
export const commandWord = (address: string): string => (/^[\w./:~+-]+$/.test(address) ? address : `"${address}"`)
