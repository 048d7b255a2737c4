/** Triangles of a mesh as it was imported: every corner has its own values, nothing is welded yet. */

/**
 * In centimetres, Unreal's axes (X forward, Y right, Z up). Triangle `t` has the corners `3t`, `3t + 1`, `3t + 2`; the values of a corner
 * are its own, but for positions, which `cornerPositions` names by index: they hold the shape together.
 */
export interface Mesh {
  /** x, y, z of each position. */
  positions: Float32Array
  /** For each corner the index of its position. */
  cornerPositions: Uint32Array
  /** x, y, z of each corner, unit length where the file is sound; null where there are none. */
  normals: Float32Array | null
  /** u, v of each corner, v down; the first set first. */
  uvs: Float32Array[]
  /** r, g, b, a of each corner, 0 to 1, linear; null where there are none. */
  colors: Float32Array | null
  /** For each triangle its slot. */
  triangleSlots: Uint16Array
  slots: MeshSlot[]
}

export interface MeshSlot {
  name: string
  /** Package of its material as the file says, such as `/Game/M_Wood`; null where it says none. */
  material: string | null
}
