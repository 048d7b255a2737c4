/** The line below a turntable: what is seen, and the keys. Pure. */
import type { SubjectFacts } from '../../../../previews/subjects/subject.ts'
import { printable } from '../../../../system/printable.ts'
import { count, duration, number } from '../../amounts.ts'
import type { Paint } from '../../output.ts'
import { shorten } from '../../table.ts'
import { columnsWide } from '../../wrap.ts'

/** What is known of a prop beyond what is drawn. */
export interface KnownMeasures {
  triangles?: number | null
  materials?: number | null
}

export type KeyWords = readonly string[]

/** The longest first. */
export const turnKeys = (isTurning: boolean): KeyWords => [
  `arrows turn and tilt, + - zoom, 0 as before, space ${isTurning ? 'stops' : 'turns'}, q quits`,
  `arrows, + -, space ${isTurning ? 'stops' : 'turns'}, q quits`,
  '←→↑↓ + - space q',
  'q quits',
]
export const stillKeys: KeyWords = ['q quits']

interface LineParts {
  name: string
  facts: readonly string[]
  keys: KeyWords
}

const gap = '  '
/** A long name gives way to what is said of it. */
const shortNames = [24, 14]

/** The most that fits; something of the name and the way out always do. */
export function lineOf({ name, facts, keys }: LineParts, { columns, paint }: { columns: number; paint: Paint }): string {
  const shown = printable(name)
  const names = [shown, ...shortNames.map((width) => shorten(shown, width, 'middle'))]
  for (let kept = facts.length; kept >= 0; kept--) {
    for (const one of names) {
      const room = columns - columnsWide([one, ...facts.slice(0, kept)].join(gap)) - gap.length
      const fitting = keys.find((words) => columnsWide(words) <= room)
      if (fitting !== undefined) return [paint('bold', one), ...facts.slice(0, kept), paint('dim', fitting)].join(gap)
    }
  }
  const way = keys.at(-1) ?? ''
  const room = columns - columnsWide(way) - gap.length
  return room < 4 ? shorten(way, columns) : `${paint('bold', shorten(shown, room, 'middle'))}${gap}${paint('dim', way)}`
}

export function factWords(facts: SubjectFacts, known: KnownMeasures = {}): string[] {
  if (facts.kind === 'picture') return [`${number(facts.width)} x ${number(facts.height)} px`]
  if (facts.kind === 'sound')
    return [
      duration(facts.seconds * 1000),
      `${number(facts.sampleRate)} Hz`,
      channelWords[facts.channels] ?? count(facts.channels, 'channel'),
    ]
  const triangles = known.triangles ?? facts.triangles
  const shown = facts.drawnTriangles < triangles ? ` (${number(facts.drawnTriangles)} shown)` : ''
  return [
    `${count(triangles, 'triangle')}${shown}`,
    ...(facts.sizeCm ? [sizeWords(facts.sizeCm)] : []),
    count(known.materials ?? facts.materials, 'material'),
  ]
}

const channelWords: Record<number, string> = { 1: 'mono', 2: 'stereo' }

/** In metres where centimetres would be many. */
export function sizeWords(sizeCm: readonly number[]): string {
  const isLarge = Math.max(...sizeCm) >= 1000
  const digits = isLarge ? 100 : Math.max(...sizeCm) >= 10 ? 1 : 100
  const words = sizeCm.map((cm) => number(Math.round((isLarge ? cm / 100 : cm) * digits) / digits))
  return `${words.join(' x ')} ${isLarge ? 'm' : 'cm'}`
}
