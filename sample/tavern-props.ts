// Props of the sample's tavern. Centimetres; each stands on the ground.
import type { Finish } from './finish.ts'
import { around, ball, box, lathe, moved, outline, type Shape, stretched, turned, type Vec } from './shape.ts'
import { surfaces } from './surfaces.ts'

const { oak, darkOak, iron, brass, clay, glazed, bottleGlass, wax, paper, redLeather, blueLeather, flame, lampGlass } = surfaces

export function barrel(staves: Finish = oak): Shape {
  const radius = (part: number) => 26 + 8 * Math.sin(Math.PI * part)
  const profile = Array.from({ length: 13 }, (_, index) => [radius(index / 12), index * 7] as const)
  const hoops = [0.05, 0.3, 0.7, 0.95].flatMap((part) => band([part * 84, 6], (z) => radius(z / 84) + 0.9))
  const lid = moved(disc(25, darkOak), [0, 0, 80])
  const rim = lathe(outline('26,84 24.5,84 24.5,80'), staves)
  return [...lathe(profile, staves, { segments: 18, flat: true }), ...rim, ...lid, ...hoops]
}

export function crate(boards: Finish = oak): Shape {
  const core = moved(box([54, 54, 54], boards), [0, 0, 3])
  const post = moved(box([7, 7, 60], darkOak), [27, 27, 0])
  const rail = moved(box([54, 4, 7], darkOak), [0, -28.5, 0])
  const brace = moved(turned(box([66, 3, 6], darkOak), 'y', -45), [0, -28, 28])
  const side = [...rail, ...moved(rail, [0, 0, 53]), ...brace]
  const lid = [-20, 0, 20].flatMap((y) => moved(box([58, 18, 3], boards), [0, y, 58]))
  return [...core, ...around(post, 4), ...around(side, 4), ...lid]
}

export function lantern(frame: Finish = iron): Shape {
  const bars = around(moved(box([1.6, 1.6, 26], frame), [10, 0, 6]), 6)
  const glass = moved(lathe(outline('8,0 8.5,12 8,24'), lampGlass), [0, 0, 7])
  const base = lathe(outline('0,0 13,0 13,3 11,6 0,6'), frame)
  const roof = moved(lathe(outline('13.5,0 12,3 5,11 3,13 0,13'), frame), [0, 0, 32])
  const ring = moved(turned(torus(5, 0.9, brass), 'x', 90), [0, 0, 50])
  return [...base, ...glass, ...bars, ...roof, ...ring]
}

export function table(boards: Finish = oak): Shape {
  const planks = [-30, -10, 10, 30].flatMap((y) => moved(box([140, 19.4, 6], boards), [0, y, 72]))
  const leg = moved(lathe(outline('6,0 4,8 7,40 5,66 8,72'), darkOak, { segments: 12 }), [58, 30, 0])
  const legs = [leg, turned(leg, 'z', 180), moved(leg, [0, -60, 0]), moved(leg, [-116, 0, 0])].flat()
  return [...planks, ...legs, ...moved(box([116, 6, 8], darkOak), [0, 0, 20])]
}

export function stool(seat: Finish = oak): Shape {
  const leg = moved(turned(lathe(outline('3.2,0 2.4,44'), darkOak, { segments: 10 }), 'y', -10), [16, 0, 0])
  const top = moved(lathe(outline('0,0 17,0 19,2 19,4 17,6 0,6'), seat), [0, 0, 42])
  return [...around(leg, 3), ...top]
}

export function mug(body: Finish = clay): Shape {
  const cup = lathe(outline('0,0 6,0 6.6,1 6,7 6.4,14 5.6,14 5.2,3'), body)
  const handle = moved(stretched(turned(torus(4.2, 0.9, body), 'x', 90), [0.9, 1, 1.1]), [7.4, 0, 7.5])
  return [...cup, ...handle, ...moved(disc(5.4, wax), [0, 0, 12]), ...band([4.4, 1.4], () => 6.45, brass)]
}

export function bottle(glass: Finish = bottleGlass): Shape {
  const body = lathe(outline('0,0 4.6,0 5,1.5 5,15 4,18.5 1.7,22 1.6,27 2.2,27.3 2.2,28.6 0,28.6'), glass)
  const cork = moved(lathe(outline('1.5,0 1.6,2.4 0,2.4'), paper, { segments: 14 }), [0, 0, 28.6])
  return [...body, ...band([9, 8], () => 5.08, paper), ...cork]
}

export function candle(holder: Finish = brass): Shape {
  const plate = lathe(outline('0,0 9,0 10,2.6 9.2,2.8 7,1.2 3.4,1.2 3,4 0,4'), holder)
  const stick = moved(lathe(outline('2.4,0 2.4,14 2.1,15 1.2,14.6 0,14.4'), wax), [0, 0, 3.5])
  const fire = moved(stretched(ball(1.5, flame), [0.8, 0.8, 2.1]), [0, 0, 21.4])
  return [...plate, ...stick, ...fire, ...moved(turned(torus(3, 0.7, holder), 'x', 90), [11.5, 0, 2.4])]
}

export function chest(boards: Finish = darkOak, openDegrees = 0): Shape {
  const lower = [-1, 1].flatMap((side) => moved(box([70, 20, 30], boards), [0, side * 10, 0]))
  const curve = Array.from({ length: 9 }, (_, index) => (index / 8) * 180)
  const slats = curve.flatMap((angle) => turned(moved(box([70, 8.6, 3], boards), [0, 0, 18]), 'x', angle - 90))
  const ends = [-34, 34].flatMap((x) => moved(turned(lathe(outline('0,0 19,0 19,2 0,2'), boards), 'y', 90), [x - 1, 0, 0]))
  const lidBands = [-26, 0, 26].flatMap((x) =>
    moved(
      turned(
        band([0, 5], () => 21.6, iron),
        'y',
        90,
      ),
      [x, 0, 0],
    ),
  )
  const lid = [...slats, ...ends, ...lidBands].filter(({ corners }) => corners.every(({ at }) => at[2] > -2))
  const hinged = moved(turned(moved(lid, [0, -20, 0]), 'x', -openDegrees), [0, 20, 30])
  const straps = [-26, 26].flatMap((x) => moved(box([5, 41.4, 30], iron), [x, 0, 0]))
  const lock = moved(box([9, 3, 11], brass), [0, -21, 22])
  return [...lower, ...hinged, ...straps, ...lock]
}

export function book(cover: Finish = redLeather): Shape {
  const pages = moved(box([20.4, 14.4, 3.4], paper), [0, -0.4, 0.6])
  const boards = [0, 4].flatMap((z) => moved(box([22, 16, 0.7], cover), [0, 0, z]))
  const spine = moved(box([22, 1, 4.7], cover), [0, 8, 0])
  return [...pages, ...boards, ...spine, ...moved(box([3, 16.4, 0.4], brass), [0, 0, 4.6])]
}

export function bookPile(): Shape {
  const leaning = turned(book(blueLeather), 'z', 14)
  return [
    ...stretched(book(), [1.1, 1.1, 1]),
    ...moved(leaning, [1, 0, 5]),
    ...moved(turned(book(surfaces.leaves), 'z', -9), [-1, 1, 10]),
  ]
}

export function bucket(staves: Finish = oak): Shape {
  const radius = (z: number) => 13 + z * 0.16
  const wall = lathe(
    [
      [0, 0],
      [13, 0],
      [radius(30), 30],
      [radius(30) - 1.4, 30],
      [12, 3],
    ],
    staves,
    { segments: 16, flat: true },
  )
  const handle = moved(turned(torus(17.5, 0.7, iron), 'x', 78), [0, 0, 31])
  return [
    ...wall,
    ...[4, 22].flatMap((z) => band([z + 2, 4], (at) => radius(at) + 0.5)),
    ...handle,
    ...moved(disc(16, glazed), [0, 0, 24]),
  ]
}

export function shelf(boards: Finish = darkOak): Shape {
  const side = moved(box([5, 26, 120], boards), [47, 0, 0])
  const levels = [4, 42, 80, 116].flatMap((z) => moved(box([94, 26, 4], boards), [0, 0, z]))
  const things: [Shape, Vec][] = [
    [bookPile(), [-28, 0, 46]],
    [mug(glazed), [8, 0, 46]],
    [mug(), [28, 0, 46]],
    [bottle(), [-34, 0, 84]],
    [bottle(glazed), [-18, 0, 84]],
    [candle(), [26, 0, 84]],
    [stretched(barrel(), [0.36, 0.36, 0.36]), [-20, 0, 8]],
    [stretched(crate(), [0.5, 0.4, 0.45]), [24, 0, 8]],
  ]
  return [...side, ...moved(side, [-94, 0, 0]), ...levels, ...things.flatMap(([thing, at]) => moved(thing, at))]
}

/** What the Blueprint of a laid table puts together. */
export function laidTable(): Shape {
  const things: [Shape, Vec][] = [
    [stretched(candle(), [1.4, 1.4, 1.4]), [0, 4, 78]],
    [stretched(mug(), [1.3, 1.3, 1.3]), [-38, -16, 78]],
    [stretched(mug(), [1.3, 1.3, 1.3]), [34, 18, 78]],
    [stretched(bottle(), [1.2, 1.2, 1.2]), [44, -12, 78]],
    [stool(), [-20, -66, 0]],
    [stool(), [52, -62, 0]],
  ]
  return [...table(), ...things.flatMap(([thing, at]) => moved(thing, at))]
}

function disc(radius: number, finish: Finish): Shape {
  return lathe(
    [
      [radius, 0],
      [0, 0.05],
    ],
    finish,
  )
}

/** A hoop of a height around the Z axis, its middle at `z`. */
function band([z, height]: readonly [number, number], radius: (z: number) => number, finish: Finish = iron): Shape {
  const [low, high] = [z - height / 2, z + height / 2]
  return lathe(
    [
      [radius(low) - 1, low],
      [radius(low), low],
      [radius(high), high],
      [radius(high) - 1, high],
    ],
    finish,
    { segments: 28 },
  )
}

/** A ring in the ground plane. */
function torus(radius: number, thickness: number, finish: Finish): Shape {
  const turn = (step: number) => (step / 10) * 2 * Math.PI
  const profile = Array.from(
    { length: 11 },
    (_, step) => [radius - thickness * Math.cos(turn(step)), -thickness * Math.sin(turn(step))] as const,
  )
  return lathe(profile.toReversed(), finish)
}
