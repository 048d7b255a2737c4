/** Versions that a library took before it refused programs and scripts: registered as pictures, and then said to be what an older server took. */
import { pathKey } from '../../server/push/manifest.ts'
import type { Caller, Json } from './api.ts'
import { type Item, item, pushed } from './push.ts'
import type { TestServer } from './server.ts'

export interface HeldBefore {
  origin_path: string
  source_ext: string | null
  source_path?: string
}

/** Gives the item, by whose hash other items may need it, and what the commit said of it. */
export async function heldBefore(server: TestServer, who: Caller, as: HeldBefore): Promise<{ held: Item; result: Json }> {
  const name = as.origin_path.split('/').at(-1) ?? ''
  const held = item({
    asset_class: 'SourceFile',
    asset_name: name,
    source_ext: 'png',
    engine_version: undefined,
    entry: { entry_type: 'source', name },
  })
  const [result] = await pushed(who, [held])
  await server.database.sql`
    update objects set source_ext = ${as.source_ext}, origin_path = ${as.origin_path}, path_key = ${pathKey(as.origin_path)},
           source_path = ${as.source_path ?? null}
     where id = ${result.object_id} and content_hash = ${held.content_hash}`
  return { held, result }
}

/** A mesh that needs such a version; gives its name and bytes. */
export async function meshThatNeeds(who: Caller, needs: readonly Item[]): Promise<Item & { result: Json }> {
  const mesh = item({ dependencies: needs.map(({ content_hash }) => ({ content_hash })) })
  const [result] = await pushed(who, [mesh])
  return { ...mesh, result }
}
