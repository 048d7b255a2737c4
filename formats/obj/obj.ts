// Wavefront OBJ and the material libraries beside it: counts, the size where the file states its unit, and the files it names.
// Line by line and by our own hand: the kept readers build the whole model in memory.
// Source: Object Files (.obj), Appendix B1 of the Wavefront Advanced Visualizer manual; material libraries, its section 5.
import { FileWindow, type WholeFile } from '../file-window.ts'
import { FormatError } from '../format-error.ts'
import { relativeAddress } from '../source/look.ts'
import { countWords, eachLine, isBlank, skipBlanks } from '../text-lines.ts'

export type ObjFacts = {
  format: 'obj'
  /** What its first comments name as the program that wrote it. */
  creator: string | null
  /** Whether the whole file was read. If not, it is too large or was not at hand, and the counts are null. */
  whole: boolean
  vertices: number | null
  faces: number | null
  /** Of faces that are cut into triangles. */
  triangles: number | null
  /** Different materials that faces use. */
  materials: number | null
  /** Centimetres per unit; null where no comment says so, as the format itself has no unit. */
  unitCentimetres: number | null
  /** Around all vertices, in the file's units and axes; null where the unit is not known. */
  bounds: { min: number[]; max: number[] } | null
  /** Material libraries, relative to its folder. */
  externalFiles: string[]
}

export type MtlFacts = {
  format: 'mtl'
  materials: number
  /** Textures, relative to its folder. */
  externalFiles: string[]
}

/** Some two seconds of reading. A larger file is described from its beginning. */
export const maxObjBytes = 256 * 1024 * 1024
export const maxMtlBytes = 16 * 1024 * 1024
/** What is taken for text must not hold a zero byte this early. */
const probeBytes = 4096
export const maxNames = 10_000
const maxNameLength = 1000
/** Programs introduce themselves in the first lines. */
export const maxCommentsRead = 100

/**
 * What an OBJ says of itself. `bytes` may be its beginning; the rest is asked for by `whole.readAt`.
 * Throws FormatError `not-this-format` (also for text without a vertex), `truncated` or `too-large`.
 */
export function readObj(bytes: Uint8Array, whole: WholeFile = { sizeBytes: bytes.length }): ObjFacts {
  const file = openText(bytes, whole, 'OBJ file')
  const isWhole = file.reachBytes === file.sizeBytes && file.sizeBytes <= maxObjBytes
  const model = new ObjModel()
  const end = isWhole ? file.sizeBytes : Math.min(bytes.length, file.reachBytes)
  eachLine(file, end, (line, start, lineEnd) => model.readLine(line, start, lineEnd))
  if (model.vertices === 0) throw new FormatError('not-this-format', 'This is not an OBJ file: it holds no vertex.')
  const { creator, unitCentimetres, vertices, faces, triangles } = model
  const counts = { vertices, faces, triangles, materials: model.materials.size, bounds: model.bounds }
  const unknown = { vertices: null, faces: null, triangles: null, materials: null, bounds: null }
  return {
    format: 'obj',
    creator,
    whole: isWhole,
    ...(isWhole ? counts : unknown),
    unitCentimetres,
    externalFiles: [...model.libraries],
  }
}

/** What a material library says of itself. Throws FormatError `not-this-format`, `truncated` or `too-large`. */
export function readMtl(bytes: Uint8Array, whole: WholeFile = { sizeBytes: bytes.length }): MtlFacts {
  const file = openText(bytes, whole, 'material library')
  if (file.sizeBytes > maxMtlBytes) throw new FormatError('too-large', `The material library has ${file.sizeBytes} bytes.`)
  const textures = new Set<string>()
  let materials = 0
  eachLine(file, file.sizeBytes, (line, start, end) => {
    const { keyword, rest } = statement(line, start, end)
    if (keyword === 'newmtl') materials++
    if (!textureKeywords.test(keyword)) return
    const name = relativeAddress(textureName(rest))
    if (name !== null) addName(textures, name)
  })
  if (materials === 0) throw new FormatError('not-this-format', 'This is not a material library: it names no material.')
  return { format: 'mtl', materials, externalFiles: [...textures] }
}

export function openText(bytes: Uint8Array, whole: WholeFile, what: string): FileWindow {
  if (bytes.subarray(0, probeBytes).includes(0)) throw new FormatError('not-this-format', `This is no ${what}: it is not text.`)
  return new FileWindow(bytes, whole, what)
}

/** What has been read of a model so far. */
class ObjModel {
  creator: string | null = null
  unitCentimetres: number | null = null
  vertices = 0
  faces = 0
  triangles = 0
  readonly materials = new Set<string>()
  readonly libraries = new Set<string>()
  #comments = 0
  readonly #min = [Infinity, Infinity, Infinity]
  readonly #max = [-Infinity, -Infinity, -Infinity]

  /** Vertices and faces are nearly all there is: they are told by their first bytes. */
  readLine(bytes: Buffer, start: number, end: number): void {
    const first = bytes[start]
    if (first === letters.v) {
      if (isBlank(bytes[start + 1])) this.#addVertex(bytes, start + 1, end)
    } else if (first === letters.f) this.#addFace(bytes, start, end)
    else if (first === letters.hash) {
      if (this.vertices === 0 && this.#comments++ < maxCommentsRead) this.#readComment(textBetween(bytes, start + 1, end))
    } else if (first === letters.u || first === letters.m) this.#readName(statement(bytes, start, end))
  }

  get bounds(): ObjFacts['bounds'] {
    const [min, max] = [this.#min, this.#max]
    return this.unitCentimetres !== null && [...min, ...max].every(Number.isFinite) ? { min, max } : null
  }

  /** Numbers are only read where they will be of use. */
  #addVertex(bytes: Buffer, start: number, end: number): void {
    this.vertices++
    if (this.unitCentimetres === null) return
    let at = start
    for (let axis = 0; axis < 3; axis++) {
      const from = skipBlanks(bytes, at, end)
      for (at = from; at < end && !isBlank(bytes[at]); ) at++
      const value = from === at ? Number.NaN : Number(bytes.toString('latin1', from, at))
      if (value < (this.#min[axis] ?? 0)) this.#min[axis] = value
      if (value > (this.#max[axis] ?? 0)) this.#max[axis] = value
    }
  }

  /** `f` and its old name `fo`, followed by the corners. */
  #addFace(bytes: Buffer, start: number, end: number): void {
    const at = bytes[start + 1] === letters.o ? start + 2 : start + 1
    if (!isBlank(bytes[at])) return
    this.faces++
    this.triangles += Math.max(0, countWords(bytes, at, end) - 2)
  }

  #readName({ keyword, rest }: Statement): void {
    if (keyword === 'usemtl' && rest !== '') addName(this.materials, rest)
    if (keyword !== 'mtllib') return
    // Several libraries may stand in one line, and their names may hold blanks.
    const names = rest.split(/(?<=\.mtl)\s+/i).map(relativeAddress)
    for (const name of names) if (name !== null) addName(this.libraries, name)
  }

  #readComment(text: string): void {
    this.creator ??= creatorIn(text)
    this.unitCentimetres ??= unitIn(text)
  }
}

export const letters = { v: 118, f: 102, o: 111, u: 117, m: 109, t: 116, n: 110, hash: 35 }

/** As Maya, Blender, Cinema 4D, 3ds Max and others introduce themselves. */
function creatorIn(comment: string): string | null {
  const stated = /\b(?:generated|created|exported|written) (?:by|from|with|using)\s+(.+)/i.exec(comment)?.[1]
  const named = /^\W*((?:Blender|3ds Max|Maya|Rhino|ZBrush|Houdini|MeshLab|SketchUp|Modo)\b.*)/i.exec(comment)?.[1]
  const name = (stated ?? named ?? '').split(/ OBJ File:/i)[0] ?? ''
  let end = name.length
  while (end > 0 && /[\s).,]/.test(name.charAt(end - 1))) end--
  return name.slice(0, end) || null
}

const unitsInCentimetres: Record<string, number> = {
  millimeter: 0.1,
  centimeter: 1,
  decimeter: 10,
  meter: 100,
  inch: 2.54,
  inches: 2.54,
  foot: 30.48,
  feet: 30.48,
  yard: 91.44,
}

/** "This file uses centimeters as units" (Maya) and "File units = inches" (SketchUp). */
export function unitIn(comment: string): number | null {
  const found = /\buses (\w+) as units\b|\bfile units\s*[=:]\s*(\w+)/i.exec(comment)
  const unit = (found?.[1] ?? found?.[2] ?? '').toLowerCase().replace(/metre/, 'meter')
  return unitsInCentimetres[unit] ?? unitsInCentimetres[unit.replace(/s$/, '')] ?? null
}

type Statement = { keyword: string; rest: string }

/** A line by its first word. */
export function statement(bytes: Buffer, start: number, end: number): Statement {
  let at = start
  while (at < end && !isBlank(bytes[at])) at++
  return { keyword: bytes.toString('latin1', start, Math.min(at, start + 20)), rest: textBetween(bytes, at, end) }
}

export function textBetween(bytes: Buffer, start: number, end: number): string {
  const from = skipBlanks(bytes, start, end)
  return bytes.toString('utf8', from, Math.min(end, from + maxNameLength)).toWellFormed()
}

const textureKeywords = /^(?:map_\w+|bump|disp|decal|norm|refl)$/i
/** Options before a texture's name, with their values: one word, or up to three numbers. */
const textureOption = /^-(?:(?:[ost])(?:\s+[-+\d.eE]+){1,3}|mm\s+\S+\s+\S+|\w+\s+\S+)\s+/

/** Of a statement that names a texture, without the options before it. */
export function textureName(rest: string): string {
  let name = rest
  for (let option = textureOption.exec(name); option !== null; option = textureOption.exec(name))
    name = name.slice(option[0].length)
  return name
}

function addName(names: Set<string>, name: string): void {
  names.add(name)
  if (names.size > maxNames) throw new FormatError('too-large', `The file names more than ${maxNames} materials or files.`)
}
