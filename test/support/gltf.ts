/** A glTF whose buffer and picture are files of their own, as most programs write it: one triangle with texture coordinates. */

const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0)
const uvs = Float32Array.of(0, 0, 1, 0, 0, 1)

export const triangleBin: Buffer = Buffer.concat([positions, uvs].map(({ buffer }) => Buffer.from(buffer)))

/** `material` is its base colour; `images` are as glTF has them. */
export function triangleGltf({ material = {}, images = [] }: { material?: object; images?: object[] } = {}): string {
  return JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
    materials: [{ name: 'Leaf', pbrMetallicRoughness: material }],
    textures: images.map((_, source) => ({ source })),
    images,
    buffers: [{ uri: 'leaf.bin', byteLength: triangleBin.length }],
    bufferViews: [
      { buffer: 0, byteLength: 36 },
      { buffer: 0, byteOffset: 36, byteLength: 24 },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' },
    ],
  })
}
