/** A library small enough to know by heart: barrels, a tree, a stone; a tag, variants, pictures, and one entry that is deprecated. */
import type { Caller, Json } from './api.ts'
import { glbOf, pngOf } from './media.ts'
import { item, pushed } from './push.ts'

/** The names of what is not deprecated, in order. */
export const everything = ['M_Oak', 'SM_OakBarrel', 'SM_OldBarrel_01', 'SM_Pine', 'SM_Stone', 'T_Oak_Barrel']
export const barrels = ['SM_OakBarrel', 'SM_OldBarrel_01']

/** A mesh at `/Game/<path>/<name>`, with what was measured of it. */
export const mesh = (name: string, path: string, metadata: Json = {}) =>
  item({ asset_name: name, origin_path: `/Game/${path}/${name}`, entry: { metadata } })

const other = (name: string, path: string, [asset_class, entry_type]: [string, string]) =>
  item({ asset_name: name, origin_path: `/Game/${path}/${name}`, asset_class, entry: { entry_type } })

const box = (edge: number) => ({ bounds_x: 1, bounds_y: edge, bounds_z: 2 })

/** Pushes it as an admin; gives the ids by name. */
export async function fillSmallLibrary(admin: Caller): Promise<Record<string, number>> {
  const items = [
    mesh('SM_OakBarrel', 'Tavern/Props', { tri_count: 1200, vert_count: 700, material_count: 1, lod_count: 3, ...box(120.5) }),
    mesh('SM_OldBarrel_01', 'Tavern/Props', { tri_count: 300, vert_count: 170, material_count: 2, lod_count: 1, ...box(90) }),
    mesh('SM_Pine', 'Forest/Trees', { tri_count: 9000, has_collision: true, nanite_enabled: true }),
    mesh('SM_Stone', 'Forest', { tri_count: 60, has_collision: false, nanite_enabled: false }),
    other('M_Oak', 'Tavern/Materials', ['Material', 'material']),
    other('T_Oak_Barrel', 'Tavern/Textures', ['Texture2D', 'texture']),
    mesh('SM_Gone', 'Forest/Trees'),
  ]
  const results = await pushed(admin, items)
  const of = (name: string): Json => results[items.findIndex(({ asset_name }) => asset_name === name)]
  const ids = (...names: string[]): number[] => names.map((name) => of(name).entry_id)
  const tag = (await admin.post('/tags', { name: 'old wood' })).body.id
  await admin.post('/entries/tags/bulk', { tag_id: tag, entry_ids: ids('SM_OldBarrel_01', 'SM_Pine'), action: 'add' })
  await admin.post('/entries/variant-group/bulk', { entry_ids: ids(...barrels), action: 'group', label: 'Barrels' })
  await admin.patch(`/entries/${of('SM_Gone').entry_id}`, { status: 'deprecated' })
  for (const { entry_id, object_id } of [of('SM_OakBarrel'), of('SM_Pine')])
    await admin.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, await pngOf(64, 64))
  const { entry_id, object_id } = of('SM_Pine')
  await admin.put(`/entries/${entry_id}/preview?object_id=${object_id}`, glbOf(), { 'content-type': 'model/gltf-binary' })
  return Object.fromEntries(items.map(({ asset_name }) => [asset_name, of(asset_name).entry_id]))
}
