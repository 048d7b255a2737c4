/**
 * Made-up props: what the n-th entry of a library is, always the same for the same number. Twenty of them are a kit, as studios push them
 * (three props with textures, materials, blueprints, sounds), 250 kits a level that needs everything in them.
 */
import { adjectives, capital, categories, labels, moves, nouns, packName, properName, sounds, tagName } from './prop-words.ts'

/** Entries in a kit, and in a level's closure. */
const kitSize = 20
export const levelSize = 5000
export const tagCount = 600

export interface Prop {
  /** From 1; the entry's id too. */
  n: number
  name: string
  entry_type: string
  asset_class: string
  category: string | null
  category_locked: boolean
  status: 'active' | 'deprecated'
  variant_label: string | null
  variant_group: number | null
  /** From 1. */
  pack: number
  source_ext: string | null
  engine_version: string
  blob_size: number
  metadata: Record<string, string | number | boolean>
  preview_status: 'none' | 'ready' | 'unavailable'
  preview_kind: string | null
  has_thumbnail: boolean
  /** Versions pushed so far; five on average. */
  versions: number
  /** Seconds since 1970. */
  indexed: number
  updated: number
  /** Numbers of tags, from 1. */
  tags: number[]
  /** Numbers of the entries whose versions it needs. */
  needs: number[]
}

export const packCount = (entries: number): number => Math.max(4, Math.round(entries / 500))
export const nameOfPack = (pack: number): string => packName(pack - 1)
export const nameOfTag = (tag: number): string => tagName(tag - 1)

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Zipf's law: the first of `count` is drawn twice as often as the second, three times as often as the third. */
function longTail(count: number): (u: number) => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let at = 0; at < count; at++) sums[at] = sum += 1 / (at + 1)
  return (u) => {
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < u * sum) low = middle + 1
      else high = middle
    }
    return low
  }
}
const [drawNoun, drawAdjective, drawCategory, drawTag] = [nouns, adjectives, categories, { length: tagCount }].map(({ length }) =>
  longTail(length),
) as [Draw, Draw, Draw, Draw]
const drawProper = longTail(20_000)
type Draw = (u: number) => number
const packDraws = new Map<number, Draw>()

interface Kit {
  number: number
  /** Number of its first entry. */
  first: number
  pack: number
  category: string | null
  /** What its three props are called. */
  bases: [string, string, string]
  /** The entry that is the level of its 250 kits, and the material that all of them are made from. */
  isFirstOfLevel: boolean
  master: number
}

function kitOf(number: number, entries: number): Kit {
  const random = randomOf(number + 0x51ed)
  const packs = packCount(entries)
  const drawPack = packDraws.get(packs) ?? longTail(packs)
  packDraws.set(packs, drawPack)
  const base = (): string => {
    const first = random() < 0.12 ? properName(drawProper(random())) : random() < 0.75 ? adjectives[drawAdjective(random())] : ''
    return `${first}${nouns[drawNoun(random())]}`
  }
  const kitsInLevel = levelSize / kitSize
  const levelStart = Math.floor(number / kitsInLevel) * levelSize
  return {
    number,
    first: number * kitSize + 1,
    pack: drawPack(random()) + 1,
    category: random() < 0.06 ? null : (categories[drawCategory(random())] ?? null),
    bases: [base(), base(), base()],
    isFirstOfLevel: number % kitsInLevel === 0,
    master: levelStart + masterSlot + 1,
  }
}

const masterSlot = 18
const levelSlot = 19
/** Slots of a kit that nothing in it needs: who needs these needs all of it. */
const rootSlots = [6, 13, 15, 16, 17, 18, 19]

type Shape = Pick<Prop, 'name' | 'entry_type' | 'asset_class' | 'needs'> & { category?: string; source_ext?: string }

const mesh = (name: string, needs: number[]): Shape => ({
  name: `SM_${name}`,
  entry_type: 'mesh',
  asset_class: 'StaticMesh',
  needs,
})
const texture = (name: string): Shape => ({
  name: `T_${name}`,
  entry_type: 'texture',
  asset_class: 'Texture2D',
  category: 'Textures',
  needs: [],
})
const material = (name: string, needs: number[]): Shape => ({
  name: `MI_${name}`,
  entry_type: 'material',
  asset_class: 'MaterialInstanceConstant',
  category: 'Materials',
  needs,
})
const blueprint = (name: string, needs: number[]): Shape => ({
  name: `BP_${name}`,
  entry_type: 'blueprint',
  asset_class: 'Blueprint',
  category: 'Blueprints',
  needs,
})

/** What stands in each slot of a kit. */
function shapeOf(slot: number, kit: Kit, random: () => number): Shape {
  const { bases, number, first, master } = kit
  const [a, b, c] = bases
  const all = (...slots: number[]): number[] => slots.map((each) => first + each)
  const from = random() < 0.02 ? masterSlot + 1 : master
  const shapes: (() => Shape)[] = [
    () => mesh(`${a}_01`, all(1)),
    () => material(`${a}_01`, [...all(2, 3, 4), from]),
    () => texture(`${a}_01_D`),
    () => texture(`${a}_01_N`),
    () => texture(`${a}_01_ORM`),
    () => mesh(`${a}_02`, all(1)),
    () => blueprint(a, all(0, 5)),
    () => mesh(`${b}_01`, all(8)),
    () => material(`${b}_01`, [...all(9, 10, 11), from]),
    () => texture(`${b}_01_D`),
    () => texture(`${b}_01_N`),
    () => texture(`${b}_01_ORM`),
    () => mesh(`${b}_02`, all(8)),
    () => blueprint(b, all(7, 12, 14)),
    () => sound(`${b}_${sounds[number % sounds.length]}`),
    () => (number % 2 === 0 ? skeletal(c, all(8)) : animation(`${c}_${moves[number % moves.length]}`)),
    () => effect(c, all(2)),
    () => mesh(`${c}_01`, all(1)),
    () => (kit.isFirstOfLevel ? masterMaterial(c) : source(a, number)),
    () => (kit.isFirstOfLevel ? level(c, kit) : ending(kit)),
  ]
  return shapes[slot]?.() ?? mesh(c, [])
}

const sound = (name: string): Shape => ({
  name: `A_${name}`,
  entry_type: 'audio',
  asset_class: 'SoundWave',
  category: 'Audio',
  needs: [],
})
const skeletal = (name: string, needs: number[]): Shape => ({
  name: `SK_${name}`,
  entry_type: 'skeletal_mesh',
  asset_class: 'SkeletalMesh',
  needs,
})
const animation = (name: string): Shape => ({
  name: `AN_${name}`,
  entry_type: 'animation',
  asset_class: 'AnimSequence',
  category: 'Animations',
  needs: [],
})
const effect = (name: string, needs: number[]): Shape => ({
  name: `NS_${name}`,
  entry_type: 'vfx',
  asset_class: 'NiagaraSystem',
  category: 'Effects',
  needs,
})
const masterMaterial = (name: string): Shape => ({
  name: `M_Master_${name}`,
  entry_type: 'material',
  asset_class: 'Material',
  category: 'Materials',
  needs: [],
})

function source(name: string, number: number): Shape {
  if (number % 3 === 0) return { ...mesh('', []), name, entry_type: 'source_mesh', asset_class: 'SourceMesh', source_ext: 'fbx' }
  if (number % 3 === 1)
    return { ...texture(''), name: `${name}_Scan`, entry_type: 'source_texture', asset_class: 'SourceTexture', source_ext: 'png' }
  return { ...sound(''), name: `${name}_Take`, entry_type: 'source_audio', asset_class: 'SourceAudio', source_ext: 'wav' }
}

const level = (name: string, { first }: Kit): Shape => {
  const kits = Array.from({ length: levelSize / kitSize }, (_, at) => first + at * kitSize)
  const needs = kits.flatMap((start) => rootSlots.map((slot) => start + slot)).filter((n) => n !== first + levelSlot)
  return { name: `L_${name}_World`, entry_type: 'level', asset_class: 'World', category: 'Levels', needs }
}

function ending({ bases: [a, b, c], number, first }: Kit): Shape {
  if (number % 3 === 0)
    return { name: `LS_${c}`, entry_type: 'sequence', asset_class: 'LevelSequence', category: 'Cinematics', needs: [] }
  if (number % 3 === 1) return texture(`${c}_Mask`)
  return { name: `L_${a}_${b}`, entry_type: 'level', asset_class: 'World', category: 'Levels', needs: [first + 6, first + 13] }
}

const lastKit: { entries: number; kit: Kit | undefined } = { entries: 0, kit: undefined }

/** The n-th of `entries` props, from 1. */
export function propOf(n: number, entries: number): Prop {
  const number = Math.floor((n - 1) / kitSize)
  if (lastKit.kit?.number !== number || lastKit.entries !== entries)
    Object.assign(lastKit, { entries, kit: kitOf(number, entries) })
  const kit = lastKit.kit ?? kitOf(number, entries)
  const slot = (n - 1) % kitSize
  const random = randomOf(n)
  const { category: own, source_ext = null, needs, ...shape } = shapeOf(slot, kit, random)
  const category = own && random() < 0.7 ? own : kit.category
  return {
    n,
    ...shape,
    source_ext,
    needs: needs.filter((needed) => needed <= entries && needed !== n),
    category,
    category_locked: category !== null && random() < 0.1,
    status: random() < 0.03 ? 'deprecated' : 'active',
    ...variantOf(slot, kit, random),
    pack: kit.pack,
    engine_version: `5.${1 + Math.floor(random() * 5)}.${Math.floor(random() * 4)}`,
    blob_size: Math.round(80_000 * Math.exp(2 * normal(random))),
    metadata: metadataOf(shape.entry_type, random),
    ...mediaOf(shape.entry_type, random),
    versions: versionsOf(random()),
    ...timesOf(n, entries, random),
    tags: tagsOf(random),
  }
}

const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function variantOf(slot: number, kit: Kit, random: () => number): Pick<Prop, 'variant_label' | 'variant_group'> {
  const isVaried = (slot === 0 || slot === 5) && kit.number % 5 < 2
  const label = slot === 5 || random() < 0.02 ? (labels[Math.floor(random() * labels.length)] ?? null) : null
  return { variant_label: isVaried || slot === 12 ? label : null, variant_group: isVaried ? kit.number + 1 : null }
}

const previewKinds: Record<string, string> = { mesh: 'glb', skeletal_mesh: 'glb', texture: 'image', audio: 'audio' }

function mediaOf(type: string, random: () => number): Pick<Prop, 'preview_status' | 'preview_kind' | 'has_thumbnail'> {
  const has_thumbnail = random() < 0.9
  const kind = previewKinds[type]
  if (!kind) return { preview_status: 'none', preview_kind: null, has_thumbnail }
  const status = random() < 0.7 ? 'ready' : random() < 0.7 ? 'none' : 'unavailable'
  return { preview_status: status, preview_kind: status === 'ready' ? kind : null, has_thumbnail }
}

/** One in five has one version, one in twenty more than thirteen. */
const versionsOf = (u: number): number => Math.min(100, 1 + Math.floor(Math.log(1 - u) / Math.log(0.8)))

const firstDay = 1_600_000_000
const allDays = 180_000_000

function timesOf(n: number, entries: number, random: () => number): Pick<Prop, 'indexed' | 'updated'> {
  const indexed = firstDay + Math.floor((allDays * n) / entries)
  return { indexed, updated: Math.floor(indexed + (firstDay + allDays - indexed) * random() ** 3) }
}

function tagsOf(random: () => number): number[] {
  const tags = new Set<number>()
  for (let more = Math.floor(6 * random() ** 1.3); more > 0; more--) tags.add(drawTag(random()) + 1)
  return [...tags]
}

function metadataOf(type: string, random: () => number): Prop['metadata'] {
  const edge = (): number => Math.round(1000 * Math.exp(4 + 1.2 * normal(random))) / 1000
  const size = 2 ** (8 + Math.floor(random() * 6))
  if (type === 'mesh' || type === 'skeletal_mesh' || type === 'source_mesh') {
    const tris = Math.round(Math.exp(8 + 1.6 * normal(random)))
    const body = { tri_count: tris, vert_count: Math.round(tris * 0.6), material_count: 1 + Math.floor(4 * random() ** 3) }
    const box = { bounds_x: edge(), bounds_y: edge(), bounds_z: edge() }
    if (type === 'skeletal_mesh') return { ...body, ...box, bone_count: 20 + Math.floor(random() * 180) }
    const flags = { has_collision: random() < 0.8, nanite_enabled: random() < 0.4 }
    return { ...body, ...box, ...flags, lod_count: 1 + Math.floor(random() * 4) }
  }
  if (type === 'texture' || type === 'source_texture')
    return { texture_width: size, texture_height: size, texture_format: 'PF_BC7', max_texture_res: size }
  if (type === 'material')
    return {
      texture_count: 3,
      max_texture_res: size,
      blend_mode: 'Opaque',
      two_sided: random() < 0.1,
      pbr_channels: 'base,normal,orm',
    }
  if (type === 'audio' || type === 'source_audio')
    return { audio_duration: Math.round(random() * 30_000) / 1000, sample_rate: 48_000, channel_count: random() < 0.5 ? 1 : 2 }
  if (type === 'animation') return { anim_length: Math.round(random() * 10_000) / 1000, bone_count: 68 }
  if (type === 'vfx') return { emitter_count: 1 + Math.floor(random() * 6) }
  return {}
}

/** A folder as the pack's name would be in a project. */
const folderOf = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(capital)
    .join('')

export const pathOf = ({ pack, category, name }: Prop): string =>
  ['/Game', folderOf(nameOfPack(pack)), ...(category ? [category] : []), name].join('/')
