/** A value made to fit: within so many characters of JSON whatever its shape, and without characters that nobody sees. */
import { limits } from '../../contract/limits.ts'
import { FieldPath } from './field-names.ts'
import type { Fields } from './tool.ts'

/** Characters of control and of format, which nobody sees, but for line ends, tabs, and what joins emoji. */
const invisible = /[^\P{Cc}\n\r\t]|[^\P{Cf}\u200d]|[\u2028\u2029]/gu

export const visible = (text: string): string => text.replaceAll(invisible, '')

export interface Fitted {
  value: unknown
  /** How many rows and fields are missing, by where. */
  leftOff: Record<string, number>
}

/**
 * From the top down, every value within its share of the room. A value is looked at only as far as its share goes, so the work is that of
 * the room at each level of nesting, however much there is.
 */
export function fitted(value: unknown, chars: number): Fitted {
  const cutting = new Cutting()
  const whole = wholeIn(value, { room: chars, depth: 0 }) ?? cutting.cut(value, { room: chars, depth: 0, path: FieldPath.root })
  return { value: whole?.value, leftOff: cutting.leftOff }
}

/** As it will be said. `size`: characters of its JSON. */
interface Sized {
  value: unknown
  size: number
}

interface Place {
  /** In characters. */
  room: number
  depth: number
}

type Cuttable = Place & { path: FieldPath }

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 4
const isTooDeep = ({ depth }: Place): boolean => depth >= limits.json.depth

/** Undefined as soon as it is known that it does not fit. */
function wholeIn(value: unknown, place: Place): Sized | undefined {
  const sized = typeof value === 'object' && value !== null ? wholeBranch(value, place) : wholeLeaf(value, place)
  return sized && sized.size <= place.room ? sized : undefined
}

/** Texts that are the same in JSON. */
const plain = /^[ !#-[\]-~]*$/

function wholeLeaf(value: unknown, { room }: Place): Sized | undefined {
  if (typeof value !== 'string') return { value, size: sizeOf(value) }
  // Invisible characters are few, or the text is no honest one.
  if (value.length > 2 * room) return undefined
  if (plain.test(value)) return { value, size: value.length + 2 }
  const text = visible(value)
  return { value: text, size: sizeOf(text) }
}

function wholeBranch(value: object, place: Place): Sized | undefined {
  if (isTooDeep(place)) return undefined
  return Array.isArray(value) ? wholeList(value, place) : wholeObject(value as Fields, place)
}

function wholeList(value: readonly unknown[], { room, depth }: Place): Sized | undefined {
  // A row and its comma.
  if (value.length * 2 > room) return undefined
  const rows: unknown[] = []
  let size = 2
  for (const one of value) {
    const row = wholeIn(one ?? null, { room: room - size, depth: depth + 1 })
    if (!row) return undefined
    rows.push(row.value)
    size += row.size + (rows.length > 1 ? 1 : 0)
  }
  return { value: rows, size }
}

function wholeObject(value: Fields, { room, depth }: Place): Sized | undefined {
  const fields: [string, unknown][] = []
  // The brace at the end counts as the comma of the last field.
  let size = 1
  for (const name in value) {
    const field = keyOf(name, room)
    const inner = field && wholeIn(value[name], { room: room - size - field.size, depth: depth + 1 })
    if (!inner) return undefined
    if (inner.value === undefined) continue
    fields.push([field.key, inner.value])
    size += field.size + inner.size
  }
  return { value: Object.fromEntries(fields), size: Math.max(2, size) }
}

/** With its colon and comma. Undefined where it is longer than the room. */
function keyOf(name: string, room: number): { key: string; size: number } | undefined {
  if (name.length > room) return undefined
  const key = visible(name)
  return { key, size: sizeOf(key) + 2 }
}

/** Key, colon, value and comma. */
const shortestField = 5

/** A field takes at least so much, or nothing of it is kept. */
const leastField = 64

interface Field {
  /** Among the fields of its object. */
  at: number
  key: string
  keySize: number
  value: unknown
}

class Cutting {
  readonly leftOff: Record<string, number> = {}

  /** What does not fit, within the room; undefined where not even the least of it does. */
  cut(value: unknown, place: Cuttable): Sized | undefined {
    if (typeof value === 'string') return cutText(value, place.room)
    if (typeof value !== 'object' || value === null || place.room < 2) return undefined
    if (isTooDeep(place)) return this.#leave(place, 1, { value: null, size: 4 })
    return Array.isArray(value) ? this.#cutList(value, place) : this.#cutObject(value as Fields, place)
  }

  /** Rows from the first on. The first one is cut itself where it is too long, so that something is seen. */
  #cutList(value: readonly unknown[], place: Cuttable): Sized | undefined {
    const kept: unknown[] = []
    let size = 2
    for (const one of value) {
      const comma = kept.length > 0 ? 1 : 0
      const within = { ...place, room: place.room - size - comma, depth: place.depth + 1 }
      const row = wholeIn(one ?? null, within) ?? (kept.length === 0 ? this.cut(one, within) : undefined)
      if (!row) break
      kept.push(row.value)
      size += comma + row.size
    }
    return this.#leave(place, value.length - kept.length, { value: kept, size })
  }

  /** Every field may have an even share of the room. What the short ones leave of theirs is for the long ones. */
  #cutObject(value: Fields, place: Cuttable): Sized | undefined {
    const names = Object.keys(value)
    const kept = new KeptFields(place.room)
    // No more are looked at than could be kept, were they short.
    const share = Math.max(leastField, Math.floor(place.room / Math.max(1, names.length)))
    const long: Field[] = []
    for (const [at, name] of names.slice(0, place.room / shortestField).entries()) {
      if (kept.room <= 0) break
      const field = fieldOf(value, { at, name, room: place.room })
      if (!field) continue
      const whole = wholeIn(field.value, { room: Math.min(share, kept.room) - field.keySize, depth: place.depth + 1 })
      if (whole) kept.add(field, whole)
      else long.push(field)
    }
    for (const [at, field] of long.entries()) {
      if (kept.room < shortestField) break
      const most = Math.max(leastField, Math.floor(kept.room / (long.length - at)))
      const room = Math.min(most, kept.room)
      const within = { room: room - field.keySize, depth: place.depth + 1, path: place.path.below(field.key) }
      const whole = room > share ? wholeIn(field.value, within) : undefined
      kept.add(field, whole ?? this.cut(field.value, within))
    }
    return this.#leave(place, names.length - kept.count, { value: kept.inOrder(), size: kept.size })
  }

  #leave({ path, room }: Cuttable, rows: number, kept: Sized): Sized | undefined {
    if (kept.size > room) return undefined
    const where = String(path)
    if (rows > 0) this.leftOff[where] = (this.leftOff[where] ?? 0) + rows
    return kept
  }
}

function fieldOf(value: Fields, { at, name, room }: { at: number; name: string; room: number }): Field | undefined {
  const key = keyOf(name, room)
  const inner = value[name]
  return key && inner !== undefined ? { at, key: key.key, keySize: key.size, value: inner } : undefined
}

class KeptFields {
  readonly #fields = new Map<number, readonly [string, unknown]>()
  readonly #most: number
  #size = 1

  constructor(most: number) {
    this.#most = most
  }

  get room(): number {
    return this.#most - this.#size
  }

  get size(): number {
    return Math.max(2, this.#size)
  }

  get count(): number {
    return this.#fields.size
  }

  add({ at, key, keySize }: Field, kept: Sized | undefined): void {
    if (!kept) return
    this.#fields.set(at, [key, kept.value])
    this.#size += keySize + kept.size
  }

  inOrder(): Fields {
    const fields = [...this.#fields].sort(([a], [b]) => a - b)
    return Object.fromEntries(fields.map(([, field]) => field))
  }
}

/** As much of the beginning as fits, and a sign that there was more. */
function cutText(text: string, room: number): Sized | undefined {
  const [quotes, more] = [2, 1]
  if (room < quotes + more) return undefined
  const seen = visible(text.slice(0, 2 * room))
  let [end, size] = [0, quotes + more]
  for (const char of seen) {
    const next = size + sizeOf(char) - quotes
    if (next > room) break
    size = next
    end += char.length
  }
  return { value: `${seen.slice(0, end)}…`, size }
}
