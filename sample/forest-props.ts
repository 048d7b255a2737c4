// Props of the sample's forest. Centimetres; each stands on the ground.
import type { Finish } from './finish.ts'
import { around, ball, box, lathe, moved, outline, type Shape, stretched, turned, type Vec } from './shape.ts'
import { surfaces } from './surfaces.ts'

const {
  pine: pineWood,
  bark,
  iron,
  rock: rockStone,
  mossyRock,
  brick,
  leaves,
  needles,
  mushroomCap,
  mushroomStem,
  flame,
  oak,
} = surfaces

export function pine(): Shape {
  const layer = (index: number) => {
    const width = 105 - index * 17
    return moved(
      lathe(
        [
          [width * 0.55, 4],
          [width, 0],
          [width * 0.42, 46],
          [0, 92],
        ],
        needles,
        { segments: 11, flat: true },
      ),
      [0, 0, 60 + index * 46],
    )
  }
  return [...lathe(outline('17,0 11,70 9,100'), bark, { segments: 10 }), ...[0, 1, 2, 3, 4].flatMap(layer)]
}

export function oakTree(): Shape {
  const trunk = lathe(outline('34,0 22,20 18,90 24,150 10,190'), bark, { segments: 12 })
  const branch = moved(turned(lathe(outline('9,0 5,90'), bark, { segments: 8 }), 'y', 48), [0, 0, 120])
  const crown: [number, Vec][] = [
    [88, [0, 0, 250]],
    [66, [78, 10, 210]],
    [62, [-74, -20, 214]],
    [58, [8, -70, 205]],
    [60, [-10, 66, 215]],
  ]
  return [
    ...trunk,
    ...around(branch, 3),
    ...crown.flatMap(([size, at], seed) => moved(ball(size, leaves, { rings: 14, bumps: 0.22, seed }), at)),
  ]
}

export function rock(finish: Finish = rockStone, seed = 4): Shape {
  const lump = stretched(ball(60, finish, { rings: 12, bumps: 0.5, seed }), [1.1, 0.9, 0.72])
  return moved(lump, [0, 0, 30])
}

export function rockGroup(finish: Finish = mossyRock): Shape {
  const small = stretched(rock(finish, 11), [0.5, 0.5, 0.5])
  return [...rock(finish, 7), ...moved(small, [72, -30, 0]), ...moved(turned(small, 'z', 80), [-50, -62, -6])]
}

export function stump(): Shape {
  const rings = moved(lathe(outline('30,0 20,0.4 0,0.6'), pineWood), [0, 0, 38])
  const root = moved(turned(stretched(ball(16, bark, { rings: 8 }), [1.6, 0.6, 0.5]), 'y', 14), [30, 0, 3])
  return [...lathe(outline('42,0 33,9 29,26 31,38'), bark, { segments: 13, flat: true }), ...rings, ...around(root, 5)]
}

export function mushrooms(cap: Finish = mushroomCap): Shape {
  const dots = [0, 1, 2, 3, 4, 5, 6].flatMap((index) => {
    const [lift, turn] = [index === 0 ? 12 : 42, index * 60]
    return turned(
      turned(moved(stretched(ball(2.6, mushroomStem, { rings: 8 }), [1, 1, 0.5]), [0, 0, 15.6]), 'x', lift),
      'z',
      turn,
    )
  })
  const hat = [...lathe(outline('4,1 16,0 15.4,4 12.4,9.6 7,14 0,15.6'), cap), ...dots]
  const one = [...lathe(outline('5.4,0 3.8,6 3.4,20'), mushroomStem), ...moved(hat, [0, 0, 18])]
  const small = stretched(one, [0.62, 0.62, 0.62])
  return [
    ...one,
    ...moved(turned(small, 'x', 12), [17, -8, 0]),
    ...moved(turned(stretched(small, [0.7, 0.7, 0.7]), 'y', -14), [-14, -10, 0]),
  ]
}

export function fence(boards: Finish = pineWood): Shape {
  const post = (x: number) => [
    ...moved(box([12, 12, 96], boards), [x, 0, 0]),
    ...moved(lathe(outline('8.4,0 0,9'), boards, { segments: 4, flat: true }), [x, 0, 96]),
  ]
  const rails = [32, 68].flatMap((z) => moved(box([200, 5, 12], boards), [0, -7, z]))
  const slats = [-66, -44, -22, 0, 22, 44, 66].flatMap((x) => moved(box([13, 4, 80], boards), [x, -11, 8]))
  return [...post(-94), ...post(94), ...rails, ...slats]
}

export function signpost(boards: Finish = pineWood): Shape {
  const arm = (length: number, height: number, degrees: number) => {
    const plank = moved(box([length, 5, 18], boards), [length / 2 - 12, -7, 0])
    const tip = moved(turned(box([13, 4.9, 13], boards), 'y', 45), [length - 12, -7, 9])
    return moved(turned([...plank, ...moved(tip, [-9, 0, 0])], 'z', degrees), [0, 0, height])
  }
  const nails = [122, 150].flatMap((z) => moved(ball(1.6, iron, { rings: 6 }), [0, -10, z + 9]))
  return [
    ...lathe(outline('8,0 6.5,176 0,182'), bark, { segments: 9, flat: true }),
    ...arm(92, 150, -8),
    ...arm(80, 122, 172),
    ...nails,
  ]
}

export function campfire(): Shape {
  const ring = around(moved(stretched(ball(13, rockStone, { rings: 8, bumps: 0.35, seed: 2 }), [1, 1, 0.8]), [46, 0, 6]), 9)
  const log = moved(turned(moved(lathe(outline('5.5,0 5,66 0,66'), bark, { segments: 9 }), [0, 0, 0]), 'y', -48), [34, 0, 3])
  const tongues: [number, Vec][] = [
    [13, [0, 0, 26]],
    [8, [11, -8, 20]],
    [8, [-10, 6, 22]],
    [7, [-4, -11, 18]],
  ]
  const fire = tongues.flatMap(([size, at], seed) =>
    moved(stretched(ball(size, flame, { rings: 10, bumps: 0.25, seed }), [0.8, 0.8, 1.9]), at),
  )
  return [...ring, ...around(log, 5), ...fire]
}

export function well(): Shape {
  const wall = lathe(outline('62,0 62,74 66,74 66,82 48,82 48,30'), brick, { segments: 28 })
  const water = moved(lathe(outline('48,0 0,0.1'), surfaces.glazed), [0, 0, 44])
  const posts = [-56, 56].flatMap((x) => moved(box([9, 9, 100], oak), [x, 0, 78]))
  const slope = moved(turned(box([146, 62, 5], oak), 'x', 38), [0, -26, 166])
  const axle = moved(turned(lathe(outline('4,-58 4,58'), oak, { segments: 10 }), 'y', 90), [0, 0, 136])
  return [...wall, ...water, ...posts, ...axle, ...slope, ...turned(slope, 'z', 180)]
}
