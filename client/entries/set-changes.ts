/** What the library says that changed between two sets of a level. */
import type { SetPart } from '../../contract/level-sets.ts'
import type { Api } from '../http/api.ts'
import { isMissingRoute } from '../http/failures/missing-route.ts'

/** What changed from one set of a level to another, or all that it holds, page by page. Undefined where the server does not say it, or knows one of them no more. */
export async function changesOf(
  api: Pick<Api, 'lineages'>,
  { lineageId, set, since }: { lineageId: string; set: number; since: number | undefined },
): Promise<SetPart[] | undefined> {
  const parts: SetPart[] = []
  let cursor: string | null | undefined
  try {
    do {
      const page = await api.lineages.setParts({
        lineage_id: lineageId,
        set,
        ...(since === undefined ? {} : { since }),
        ...(cursor ? { cursor } : {}),
      })
      parts.push(...page.parts)
      cursor = page.next_cursor
    } while (cursor)
  } catch (error) {
    if (isMissingRoute(error)) return undefined
    throw error
  }
  return parts
}
