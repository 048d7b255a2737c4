/** How people say and type versions: counted per prop, `v3`. Their ids, which JSON holds, are understood too. */
import { type Versioned, versionName } from '../../client/entries/current-version.ts'
import { ApiError } from '../../contract/errors.ts'
import { wrongUsage } from '../refusal.ts'

/** The note of a push on one line; people write several. */
export const noteLine = (note: string | null | undefined): string => (note ?? '').replaceAll(/\s+/g, ' ').trim()

/** `v3` is counted; `3` may be counted or an id. */
export interface VersionChoice {
  given: string
  number: number
  isCounted: boolean
}

export function readVersionChoice(given: string, option = '--version'): VersionChoice {
  const match = /^(v?)(\d{1,15})$/i.exec(given)
  const number = Number(match?.[2])
  if (match && number >= 1) return { given, number, isCounted: match[1] !== '' }
  throw wrongUsage(`${option} takes a version as ph history lists it, not "${given}".`, `Write it like this: ${option} v2`)
}

/** The version that is meant. Refuses a bare number that is the number of one version and the id of another. */
export function chooseVersion<V extends Versioned>(versions: readonly V[], choice: VersionChoice, prop: string): V {
  const { given, number, isCounted } = choice
  const counted = versions.find(({ version }) => version === number)
  const byId = isCounted ? undefined : versions.find(({ object_id }) => object_id === number)
  if (counted && byId && counted !== byId)
    throw wrongUsage(
      `${given} is ${versionName(counted)} of ${prop}, and the id of ${versionName(byId)}.`,
      `Write ${versionName(counted)} or ${versionName(byId)}.`,
    )
  const found = counted ?? byId
  if (found) return found
  throw new ApiError('OBJECT_NOT_FOUND', `${prop} has no version ${given}.`)
}
