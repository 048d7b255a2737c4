/** What the slots of a mesh look like: its materials and their parents are followed to a texture or a colour. */
import { FormatError } from '../../formats/format-error.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import type { Picture } from '../../formats/source/picture.ts'
import { type MaterialFacts, readMaterial } from '../../formats/uasset-data/material.ts'
import type { LinearColor } from '../../formats/uasset-data/material-graph.ts'
import { readSource } from '../../formats/uasset-data/source.ts'
import type { Color } from '../surface.ts'

/** A whole package by its long name, `/Game/Props/M_Wood`; undefined where it is not to be had. */
export type FindPackage = (name: string) => Promise<Uint8Array | undefined>

/** With both, the texture is multiplied by the colour. */
export interface SlotSurface {
  color?: Color
  texture?: Picture
  /** Where the texture's alpha cuts holes, as in leaves. */
  isMasked: boolean
}

/** An instance of an instance of a material: real ones go three or four deep. */
const maxParents = 12
/** Materials of one mesh that are looked up; real meshes have up to some dozens. */
const maxMaterials = 64
/** Textures of one mesh, which are all in memory at once. */
const maxTextures = 16
const baseColorNames = /(^|[^a-z])(base[ _]?colou?r|basecolou?r|diffuse|albedo)|_d$/i

/** By slot; undefined for slots of which nothing is known. What cannot be read is as what is not there: a preview is shown all the same. */
export async function slotSurfaces(mesh: Mesh, find: FindPackage): Promise<(SlotSurface | undefined)[]> {
  const walk = new MaterialWalk(find)
  const surfaces: (SlotSurface | undefined)[] = []
  for (const { material } of mesh.slots) surfaces.push(material === null ? undefined : await walk.surfaceOf(material))
  return surfaces
}

/** Each material and each texture is read once. */
class MaterialWalk {
  readonly #find: FindPackage
  readonly #surfaces = new Map<string, SlotSurface | undefined>()
  readonly #textures = new Map<string, Picture | undefined>()

  constructor(find: FindPackage) {
    this.#find = find
  }

  async surfaceOf(material: string): Promise<SlotSurface | undefined> {
    if (!this.#surfaces.has(material)) {
      const chain = this.#surfaces.size < maxMaterials ? await this.#chain(material) : []
      this.#surfaces.set(material, await this.#surface(chain))
    }
    return this.#surfaces.get(material)
  }

  /** The material with its parents, nearest first, as far as they are there. */
  async #chain(material: string): Promise<MaterialFacts[]> {
    const chain: MaterialFacts[] = []
    for (let name: string | null = material; name !== null && chain.length < maxParents; ) {
      const facts: MaterialFacts | undefined = await this.#read(name, async (bytes, stem) => readMaterial(bytes, { stem }))
      if (facts === undefined) break
      chain.push(facts)
      name = facts.parent
    }
    return chain
  }

  async #surface(chain: readonly MaterialFacts[]): Promise<SlotSurface | undefined> {
    const { texture: name, color } = baseColorOf(chain)
    const texture = name === undefined ? undefined : await this.#texture(name)
    if (texture === undefined && color === undefined) return undefined
    return {
      ...(color && { color: visible(color) }),
      ...(texture && { texture }),
      isMasked: chain.find(({ isMasked }) => isMasked !== null)?.isMasked ?? false,
    }
  }

  async #texture(name: string): Promise<Picture | undefined> {
    if (!this.#textures.has(name) && this.#textures.size < maxTextures) {
      const source = await this.#read(name, (bytes, stem) => readSource(bytes, { stem }))
      this.#textures.set(name, source?.kind === 'picture' ? source.picture : undefined)
    }
    return this.#textures.get(name)
  }

  async #read<Facts>(
    name: string,
    read: (bytes: Uint8Array, stem: string) => Promise<Facts | undefined>,
  ): Promise<Facts | undefined> {
    const bytes = await this.#find(name)
    if (bytes === undefined) return undefined
    try {
      return await read(bytes, name.split('/').at(-1) ?? '')
    } catch (error) {
      if (error instanceof FormatError) return undefined
      throw error
    }
  }
}

/** What the graph at the end says, with the values that instances put in its place; by names where the graph says nothing. */
function baseColorOf(chain: readonly MaterialFacts[]): { texture?: string; color?: LinearColor } {
  const base = chain.findLast(({ baseColor }) => baseColor !== null)?.baseColor
  const textures = chain.flatMap((facts) => facts.textures)
  const colors = chain.flatMap((facts) => facts.colors)
  const isNamed = ({ parameter }: { parameter: string | null }) => baseColorNames.test(parameter ?? '')
  if (!base) return { texture: textures.find(isNamed)?.package, color: colors.find(isNamed)?.color }
  const texture = base.texture && (named(textures, base.texture.parameter) ?? base.texture)
  const color = base.color && (named(colors, base.color.parameter) ?? base.color)
  return { texture: texture?.package, color: color?.color }
}

/** The nearest value of a parameter. Names of parameters compare without regard to case. */
function named<Value extends { parameter: string | null }>(
  values: readonly Value[],
  parameter: string | null,
): Value | undefined {
  const wanted = parameter?.toLowerCase()
  return wanted === undefined ? undefined : values.find((value) => value.parameter?.toLowerCase() === wanted)
}

/** Within what a preview holds; what alpha means is up to the graph. */
const visible = ([red, green, blue]: LinearColor): Color => [bounded(red), bounded(green), bounded(blue), 1]
const bounded = (light: number): number => (light > 0 ? Math.min(light, 1) : 0)
