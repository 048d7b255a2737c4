// How the materials of an FBX file look: diffuse colours, and pictures that are in the file or beside it.
import { FileWindow } from '../file-window.ts'
import { type LookColor, relativeAddress, type SourceLook, white } from '../source/look.ts'
import { child, children, type FbxRecord, lastText, propertiesOf, type RecordFilter } from './records.ts'
import { nameOf, readScene } from './scene.ts'

const colorProperties = new Set(['DiffuseColor', 'Diffuse'])
const properties = { Properties70: { P: colorProperties }, Properties60: { Property: colorProperties } }
const names = { RelativeFilename: {}, FileName: {}, Filename: {} } satisfies RecordFilter
const recordFilter = {
  FBXHeaderExtension: { FBXVersion: {} },
  Objects: { Material: properties, Texture: names, Video: { ...names, Content: 'numbers' } },
  Connections: { C: {} },
} satisfies Record<string, RecordFilter>

/** The property of a material that a picture stands for: of the engine's own materials, and of those that programs add. */
const diffuse = /^(?:.*\|)?(?:diffuse(?:_?colou?r)?|(?:base|albedo)(?:_?colou?r)?(?:_map)?)$/i

/**
 * By the names that `readFbxMesh` gives to slots; of two materials with one name the first. Of a picture that is not in the file the
 * address is that of its relative name, or the last part of a name that only one machine knows. Before FBX 7 pictures belong to models and
 * are left out. Throws FormatError: those of `readFbx`.
 */
export function readFbxLooks(bytes: Uint8Array): Map<string, SourceLook> {
  const file = new FileWindow(bytes, { sizeBytes: bytes.length }, 'FBX file')
  const { root } = readScene(file, bytes.length, recordFilter)
  const pictures = picturesOf(root, bytes)
  const looks = new Map<string, SourceLook>()
  for (const material of children(child(root, 'Objects'), 'Material')) {
    const name = nameOf(material)
    if (looks.has(name)) continue
    const picture = pictures.get(String(material.values[0]))
    const color = colorOf(material)
    // A picture stands in the place of the colour.
    if (picture) looks.set(name, { color: white, ...picture })
    else if (color) looks.set(name, { color, image: null })
  }
  return looks
}

type Picture = Pick<SourceLook, 'image' | 'address'>

/** By the keys of materials. */
function picturesOf(root: FbxRecord, bytes: Uint8Array): Map<string, Picture> {
  const objects = child(root, 'Objects')
  const byKey = (records: FbxRecord[]) => new Map(records.map((record) => [String(record.values[0]), record]))
  const [textures, videos] = [byKey(children(objects, 'Texture')), byKey(children(objects, 'Video'))]
  const links = children(child(root, 'Connections'), 'C').map(({ values }) => values.map(String))
  const videoOf = new Map(links.flatMap(([, below = '', above = '']) => (videos.has(below) ? [[above, videos.get(below)]] : [])))
  const found = new Map<string, Picture>()
  for (const [kind, below = '', above = '', property = ''] of links) {
    const texture = textures.get(below)
    if (kind !== 'OP' || !texture || !diffuse.test(property) || found.has(above)) continue
    const video = videoOf.get(below)
    const address = addressOf(texture) ?? addressOf(video)
    found.set(above, { image: embedded(video, bytes), ...(address !== undefined && { address }) })
  }
  return found
}

/** A value of raw bytes: its type, its length, and the bytes. */
function embedded(video: FbxRecord | undefined, bytes: Uint8Array): Uint8Array | null {
  const list = child(video, 'Content')?.numbers
  if (list?.kind !== 'values' || list.end - list.start < 5 || bytes[list.start] !== 'R'.charCodeAt(0)) return null
  const start = list.start + 5
  const length = Buffer.from(bytes.buffer, bytes.byteOffset + list.start + 1, 4).readUInt32LE()
  return length > 0 && start + length <= list.end ? bytes.subarray(start, start + length) : null
}

function addressOf(record: FbxRecord | undefined): string | undefined {
  for (const name of ['RelativeFilename', 'FileName', 'Filename']) {
    const stated = lastText(child(record, name))
    const address = relativeAddress(stated) ?? stated.split(/[\\/]/).at(-1)
    if (address) return address
  }
  return undefined
}

function colorOf(material: FbxRecord): LookColor | undefined {
  const stated = propertiesOf(material)
  const values = stated.get('DiffuseColor')?.values ?? stated.get('Diffuse')?.values ?? []
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = values.slice(-3).map(Number)
  const isColor = [red, green, blue].every((light) => light >= 0 && light <= 1)
  return isColor ? [red, green, blue, 1] : undefined
}
