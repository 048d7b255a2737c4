/** The packs of a library, as people name them. */
import type { Api } from '../../client/http/api.ts'
import type { Pack } from '../../contract/packs.ts'
import { allOf, requireNamed } from './named-record.ts'

/** All of them by name. */
export const packsOf = (api: Api): Promise<Pack[]> =>
  allOf(async (page) => {
    const { packs, next_cursor } = await api.packs.list(page)
    return { items: packs, next_cursor }
  })

const pack = { noun: 'pack', list: 'pack list' } as const

/** The one that is meant, by name or id. Refuses with `PACK_NOT_FOUND`. */
export const requirePack = async (api: Api, reference: string): Promise<Pack> => requireNamed(await packsOf(api), reference, pack)

/** The same for several. */
export async function requirePacks(api: Api, references: readonly string[]): Promise<Pack[]> {
  const packs = await packsOf(api)
  return references.map((reference) => requireNamed(packs, reference, pack))
}
