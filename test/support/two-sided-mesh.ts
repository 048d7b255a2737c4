/** Props whose sides are told apart by their colours, as the previews that a library has of them. */
import { meshGlb } from '../../previews/glb.ts'
import { box, meshOf, moved } from './meshes.ts'

/** A box of 24 triangles whose half with small Y is red, and the other one green. Centimetres along X, Y and Z. */
export async function twoSidedGlb([x, y, z]: readonly [number, number, number] = [100, 100, 100]): Promise<Uint8Array> {
  const half = box(x / 2, y / 4, z / 2)
  const triangles = [...moved(half, [0, -y / 4, 0]), ...moved(half, [0, y / 4, 0])]
  const mesh = meshOf(triangles, { slotOf: (triangle) => (triangle < half.length ? 0 : 1) })
  const materials = [{ color: [0.9, 0.02, 0.02, 1] as const }, { color: [0.02, 0.7, 0.02, 1] as const }]
  const slots = ['Red', 'Green'].map((name) => ({ name, material: null }))
  return (await meshGlb({ ...mesh, slots }, { materials })).glb
}
