/** Taking a change back: what is done for each of its calls, the last first, and doing it. */
import { ApiError } from '../../contract/errors.ts'
import type { Api } from '../http/api.ts'
import { heardBy, requireSame } from './births.ts'
import type { Change } from './journal.ts'
import { isReversible, type Part } from './row.ts'
import { takingBack } from './taking-back.ts'

/** `would`: it can be taken back. `unchanged`: there is nothing to take back any more. */
export interface UndonePart {
  what: string
  status: 'done' | 'would' | 'unchanged' | 'failed'
  /** Why it is left as it is. */
  why: string | null
}

export interface Planned {
  part: UndonePart
  act?: () => Promise<unknown>
}

/** Reads how things are now. Changes nothing. */
export async function planUndo({ calls, stays }: Pick<Change, 'calls' | 'stays'>, api: Api): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const { route, kept, births = {} } of calls.toReversed()) {
    const row = takingBack[route]
    const checked = heardBy(api, (noun, answer) => requireSame(births, noun, answer))
    const parts: Part[] =
      row && isReversible(row)
        ? await row
            .back(kept, { api: checked, isAlone: calls.length === 1 })
            .catch((error) => [{ what: route, refused: refusalOf(error) }])
        : [{ what: route, refused: 'This ph does not know how to take it back.' }]
    planned.push(...parts.map(planOf))
  }
  return [...planned, ...stays.map((why) => planOf({ what: 'what cannot be taken back', refused: why }))]
}

const planOf = ({ what, act, refused }: Part): Planned => {
  if (refused !== undefined) return { part: { what, status: 'failed', why: refused } }
  return act ? { part: { what, status: 'would', why: null }, act } : { part: { what, status: 'unchanged', why: null } }
}

/** One after the other. What is refused by the library is told of its part; other failures end it. */
export async function carryOut(planned: readonly Planned[]): Promise<UndonePart[]> {
  const parts: UndonePart[] = []
  for (const { part, act } of planned) parts.push(act ? await carryOutOne(part, act) : part)
  return parts
}

async function carryOutOne(part: UndonePart, act: () => Promise<unknown>): Promise<UndonePart> {
  try {
    await act()
    return { ...part, status: 'done' }
  } catch (error) {
    return { ...part, status: 'failed', why: refusalOf(error) }
  }
}

/** What concerns this part alone; what would concern every other one too is thrown on. */
function refusalOf(error: unknown): string {
  if (error instanceof ApiError && [403, 404, 409, 422].includes(error.status)) return error.message
  throw error
}
