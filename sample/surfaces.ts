// The finishes of the sample project, each of them a material in it.
import { bricks, type Finish, foliage, light, metal, plain, stone, wood } from './finish.ts'

export const surfaces = {
  oak: wood('#b07a45', 1),
  darkOak: wood('#7a5230', 2),
  pine: wood('#d8aa6c', 3),
  bark: wood('#65493a', 4),
  iron: metal('#575c63', 0.55),
  brass: metal('#d9a73f', 0.9),
  clay: plain('#c4683f', 0.35),
  glazed: plain('#43809c', 0.85),
  bottleGlass: plain('#34784d', 1),
  wax: plain('#f3e6c6', 0.45),
  paper: plain('#e3d2a8', 0.1),
  redLeather: plain('#9a3530', 0.4),
  blueLeather: plain('#345a8a', 0.4),
  rock: stone('#9a9c98'),
  mossyRock: stone('#8f928a', '#6a8f38'),
  brick: bricks('#b55c42', '#c4bbab'),
  leaves: foliage('#78ab45'),
  needles: foliage('#3c7d55'),
  mushroomCap: plain('#d4432f', 0.7),
  mushroomStem: plain('#efe4cc', 0.2),
  flame: light('#ffb040'),
  lampGlass: light('#ffdc90', 0.8),
} satisfies Record<string, Finish>
