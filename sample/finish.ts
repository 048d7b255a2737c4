// What the sample's surfaces look like: colour at any place inside a solid, shine and glow. Places are in centimetres.
import { mix, noise, roughness } from './noise.ts'

type Place = readonly [number, number, number]
/** Red, green and blue, 0 to 1, as a screen shows them. */
export type Color = readonly [number, number, number]

export type Finish = {
  color: (place: Place) => Color
  /** 0 dull to 1 polished. */
  gloss: number
  /** Light given off, 0 for most. */
  glow: number
}

/** `#rrggbb` */
export function color(hex: string): Color {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

export function blend(a: Color, b: Color, part: number): Color {
  return [mix(a[0], b[0], part), mix(a[1], b[1], part), mix(a[2], b[2], part)]
}

export function shade(a: Color, by: number): Color {
  return [a[0] * by, a[1] * by, a[2] * by]
}

/** Grain along the first axis, rings across it. */
export function wood(hex: string, seed = 0): Finish {
  const base = color(hex)
  return {
    gloss: 0.12,
    glow: 0,
    color: ([x, y, z]) => {
      const wave = roughness([x * 0.03, y * 0.12, z * 0.12], seed)
      const ring = Math.abs(Math.sin((y * 0.16 + z * 0.1 + wave * 7) * 1.9))
      const fibre = noise([x * 0.12, y * 1.6, z * 1.6], seed + 1)
      return shade(base, 0.66 + ring * 0.32 + fibre * 0.2)
    },
  }
}

export function stone(hex: string, mossHex?: string): Finish {
  const base = color(hex)
  const moss = mossHex === undefined ? undefined : color(mossHex)
  return {
    gloss: 0.08,
    glow: 0,
    color: ([x, y, z]) => {
      const grain = roughness([x * 0.12, y * 0.12, z * 0.12], 3)
      const speck = noise([x * 0.9, y * 0.9, z * 0.9], 4)
      const bare = shade(base, 0.62 + grain * 0.6 + speck * 0.14)
      const cover = moss ? Math.min(1, Math.max(0, (roughness([x * 0.05, y * 0.05, z * 0.05], 9) - 0.5) * 7)) : 0
      return moss ? blend(bare, shade(moss, 0.7 + speck * 0.5), cover) : bare
    },
  }
}

export function metal(hex: string, gloss = 0.8): Finish {
  const base = color(hex)
  return { gloss, glow: 0, color: ([x, y, z]) => shade(base, 0.82 + roughness([x * 0.2, y * 0.2, z * 0.6], 5) * 0.3) }
}

export function plain(hex: string, gloss = 0.3): Finish {
  const base = color(hex)
  return { gloss, glow: 0, color: ([x, y, z]) => shade(base, 0.9 + noise([x * 0.3, y * 0.3, z * 0.3], 6) * 0.2) }
}

/** Leaves and needles: lighter tips among dark gaps. */
export function foliage(hex: string): Finish {
  const base = color(hex)
  return { gloss: 0.1, glow: 0, color: ([x, y, z]) => shade(base, 0.5 + roughness([x * 0.25, y * 0.25, z * 0.25], 7) * 0.95) }
}

/** Courses of brick around the first axis, each row half a brick on. */
export function bricks(hex: string, mortarHex: string): Finish {
  const [base, mortar] = [color(hex), color(mortarHex)]
  return {
    gloss: 0.06,
    glow: 0,
    color: ([x, y, z]) => {
      const row = Math.floor(x / 10)
      const column = (Math.atan2(z, y) * 9) / Math.PI + (Math.abs(row) % 2) / 2
      const part = column - Math.floor(column)
      const gap = Math.min(part * 20, (1 - part) * 20, x - row * 10, 10 - (x - row * 10)) < 0.9
      const tone = 0.75 + noise([Math.floor(column) * 7.3, row * 3.1, 0], 8) * 0.4 + noise([x * 0.8, y * 0.8, z * 0.8], 2) * 0.15
      return gap ? mortar : shade(base, tone)
    },
  }
}

export function light(hex: string, glow = 1): Finish {
  const base = color(hex)
  return { gloss: 0.4, glow, color: () => base }
}
