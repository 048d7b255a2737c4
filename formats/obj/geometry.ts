// The triangles of an OBJ file in Unreal's axes and centimetres.
// Source: as formats/obj/obj.ts.
import { FormatError } from '../format-error.ts'
import { GrowingList } from '../source/growing-list.ts'
import type { Mesh } from '../source/mesh.ts'
import { joinParts, type MeshPart, refuseTriangles } from '../source/mesh-parts.ts'
import { triangulation } from '../source/triangulate.ts'
import { eachLine, isBlank, skipBlanks } from '../text-lines.ts'
import { letters, maxCommentsRead, maxNames, maxObjBytes, openText, statement, textBetween, unitIn } from './obj.ts'

const what = 'OBJ file'
const [minus, slash, zero, nine] = [45, 47, 48, 57]

/**
 * What an OBJ shows, as one mesh with a slot for each name that `usemtl` gives. The format has neither axes nor a unit: Y is taken to be
 * up and X right, right-handed, so that (x, y, z) becomes (x, z, y); a unit is a centimetre unless a comment says otherwise (`readObj`).
 * Throws FormatError `not-this-format`, `unsupported` (no triangle), `truncated`, `damaged` or `too-large`.
 */
export function readObjMesh(bytes: Uint8Array): Mesh {
  if (bytes.length > maxObjBytes)
    throw new FormatError('too-large', `The OBJ file has ${bytes.length} bytes, too many to be read.`)
  const file = openText(bytes, { sizeBytes: bytes.length }, what)
  const model = new ObjGeometry()
  eachLine(file, bytes.length, (line, start, end) => model.readLine(line, start, end))
  const unit = model.unitCentimetres ?? 1
  const transform = [unit, 0, 0, 0, 0, 0, unit, 0, 0, unit, 0, 0]
  return joinParts([{ part: model.part(), materials: model.materials, transform }], what)
}

const numbers = () => new GrowingList((length) => new Float64Array(length))
const indexes = () => new GrowingList((length) => new Int32Array(length))

/** Values a text names by their place in it, `size` numbers each. */
type Values = { list: GrowingList<Float64Array<ArrayBuffer>>; size: number }

/** What has been read of a model so far. */
class ObjGeometry {
  unitCentimetres: number | null = null
  #comments = 0
  readonly #positions: Values = { list: numbers(), size: 3 }
  readonly #uvs: Values = { list: numbers(), size: 2 }
  readonly #normals: Values = { list: numbers(), size: 3 }
  /** For each corner of a triangle the places of its values; -1 where it has none. */
  readonly #corners = { positions: indexes(), uvs: indexes(), normals: indexes() }
  readonly #triangleMaterials = new GrowingList((length) => new Uint16Array(length))
  readonly #materials = new Map<string, number>([['', 0]])
  #material = 0
  readonly #face = { positions: [0], uvs: [0], normals: [0] }
  readonly #triangulate = triangulation((corner) => {
    const start = (this.#face.positions[corner] ?? 0) * 3
    return [this.#positions.list.at(start), this.#positions.list.at(start + 1), this.#positions.list.at(start + 2)]
  })

  /** By their numbers; the first has no name. */
  get materials(): string[] {
    return [...this.#materials.keys()]
  }

  readLine(bytes: Buffer, start: number, end: number): void {
    const [first, second] = [bytes[start], bytes[start + 1]]
    if (first === letters.v) {
      if (isBlank(second)) readValues(this.#positions, bytes.subarray(start + 1, end))
      else if (second === letters.t) readValues(this.#uvs, bytes.subarray(start + 2, end))
      else if (second === letters.n) readValues(this.#normals, bytes.subarray(start + 2, end))
    } else if (first === letters.f) this.#addFace(bytes, second === letters.o ? start + 2 : start + 1, end)
    else if (first === letters.u) this.#startMaterial(statement(bytes, start, end))
    else if (first === letters.hash && this.#positions.list.length === 0 && this.#comments++ < maxCommentsRead)
      this.unitCentimetres ??= unitIn(textBetween(bytes, start + 1, end))
  }

  part(): MeshPart {
    const { positions, uvs, normals } = this.#corners
    const uvsOfCorners = gather(this.#uvs, uvs.values)
    for (let v = 1; v < (uvsOfCorners?.length ?? 0); v += 2) if (uvsOfCorners) uvsOfCorners[v] = 1 - (uvsOfCorners[v] ?? 0)
    return {
      positions: this.#positions.list.values,
      cornerPositions: Uint32Array.from(positions.values),
      valuesOf: 'corners',
      normals: gather(this.#normals, normals.values),
      uvs: uvsOfCorners ? [uvsOfCorners] : [],
      colors: null,
      triangleMaterials: this.#triangleMaterials.values,
    }
  }

  #startMaterial({ keyword, rest }: ReturnType<typeof statement>): void {
    if (keyword !== 'usemtl') return
    if (!this.#materials.has(rest)) this.#materials.set(rest, this.#materials.size)
    if (this.#materials.size > maxNames) throw new FormatError('too-large', `The OBJ file names more than ${maxNames} materials.`)
    this.#material = this.#materials.get(rest) ?? 0
  }

  #addFace(bytes: Buffer, start: number, end: number): void {
    if (!isBlank(bytes[start])) return
    const face = this.#face
    face.positions.length = face.uvs.length = face.normals.length = 0
    for (let at = skipBlanks(bytes, start, end); at < end && bytes[at] !== letters.hash; at = skipBlanks(bytes, at, end))
      at = this.#addCorner(bytes, at, end)
    for (const corner of this.#triangulate([...face.positions.keys()])) {
      this.#corners.positions.push(face.positions[corner] ?? 0)
      this.#corners.uvs.push(face.uvs[corner] ?? -1)
      this.#corners.normals.push(face.normals[corner] ?? -1)
    }
    const triangles = this.#corners.positions.length / 3
    refuseTriangles(triangles, what)
    while (this.#triangleMaterials.length < triangles) this.#triangleMaterials.push(this.#material)
  }

  /** `position`, `position/uv`, `position//normal` or `position/uv/normal`. Gives the offset behind it. */
  #addCorner(bytes: Buffer, start: number, end: number): number {
    const places: number[] = []
    let at = start - 1
    do {
      const sign = bytes[at + 1] === minus ? -1 : 1
      let place = 0
      for (at += sign < 0 ? 2 : 1; at < end && isDigit(bytes[at]); at++) place = place * 10 + (bytes[at] ?? 0) - zero
      places.push(place * sign)
    } while (at < end && bytes[at] === slash && places.length < 3)
    if (at < end && !isBlank(bytes[at]))
      throw damaged(`holds a face that cannot be read: ${textBetween(bytes, start, end).slice(0, 40)}`)
    const [position = 0, uv = 0, normal = 0] = places
    const found = placeOf(this.#positions, position)
    if (found < 0) throw damaged(`names position ${position} of ${this.#positions.list.length / 3}`)
    this.#face.positions.push(found)
    this.#face.uvs.push(placeOf(this.#uvs, uv))
    this.#face.normals.push(placeOf(this.#normals, normal))
    return at
  }
}

const isDigit = (byte = 0): boolean => byte >= zero && byte <= nine

/** Places count from 1, or, negative, from the last one back. -1 for what is not there. */
function placeOf({ list, size }: Values, stated: number): number {
  const place = stated < 0 ? list.length / size + stated : stated - 1
  return place >= 0 && place * size < list.length ? place : -1
}

/** As many numbers as a value has; what is missing or no number is NaN. */
function readValues({ list, size }: Values, bytes: Buffer): void {
  let at = 0
  for (let read = 0; read < size; read++) {
    const start = skipBlanks(bytes, at, bytes.length)
    for (at = start; at < bytes.length && !isBlank(bytes[at]); ) at++
    list.push(start === at ? Number.NaN : Number(bytes.toString('latin1', start, at)))
  }
}

/** The values of each corner, zeros for one without; null where none has any. */
function gather({ list, size }: Values, places: Int32Array): Float32Array | null {
  if (!places.some((place) => place >= 0)) return null
  const gathered = new Float32Array(places.length * size)
  for (let corner = 0; corner < places.length; corner++) {
    const place = places[corner] ?? -1
    if (place < 0) continue
    for (let part = 0; part < size; part++) gathered[corner * size + part] = list.at(place * size + part)
  }
  return gathered
}

function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The OBJ file is damaged: it ${problem}.`)
}
