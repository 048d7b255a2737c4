/** A turntable: what keys and time make of it, what stands below it, and what a terminal says in between. */
import { expect, test } from 'vitest'
import { KeyReader } from '../../../../cli/terminal/views/turntable/keys.ts'
import { factWords, lineOf, sizeWords, turnKeys } from '../../../../cli/terminal/views/turntable/line.ts'
import { firstView, passed, pressed, startTurning } from '../../../../cli/terminal/views/turntable/state.ts'

const ESC = '\u001b'
const keysOf = (...texts: string[]) => {
  const reader = new KeyReader()
  return texts.flatMap((text) => reader.read(text)).map((input) => ('key' in input ? input.key : input.cell))
}

test('arrows, letters and signs are keys, in both ways that terminals send arrows', () => {
  expect(keysOf(`${ESC}[A${ESC}[B${ESC}OC${ESC}OD`)).toEqual(['up', 'down', 'right', 'left'])
  expect(keysOf('hlkj+=-_0 q\u0003')).toEqual([
    ...['left', 'right', 'up', 'down', 'in', 'in', 'out', 'out', 'fit', 'space', 'quit', 'interrupt'],
  ])
})

test('a key that arrives in pieces is one key; Esc alone leaves only when nothing follows', () => {
  expect(keysOf(ESC, '[', 'C')).toEqual(['right'])
  const reader = new KeyReader()
  expect(reader.read(ESC)).toEqual([])
  expect(reader.isWaiting).toBe(true)
  expect(reader.flush()).toEqual([{ key: 'quit' }])
  expect(reader.isWaiting).toBe(false)
})

test('what the terminal reports is no key: cell sizes are taken, other answers and sizes that cannot be are not', () => {
  expect(keysOf(`${ESC}[6;18;9t`)).toEqual([{ width: 9, height: 18 }])
  expect(keysOf(`${ESC}[6;0;9t${ESC}[6;99999;9t${ESC}[4;600;800t`)).toEqual([])
  expect(keysOf(`${ESC}_Gi=3;OK${ESC}\\${ESC}P1$r0q${ESC}\\${ESC}]11;rgb:qqqq${ESC}\\`)).toEqual([])
  expect(keysOf(`${ESC}[${'1'.repeat(10_000)}`).length).toBe(0)
})

test('left and right turn by hand and stop what turns by itself; space starts and stops; 0 goes back', () => {
  const turning = startTurning(true)
  const left = pressed(turning, 'left')
  expect(left).toMatchObject({ yaw: firstView.yaw - 10, isTurning: false })
  expect(pressed(left, 'space').isTurning).toBe(true)
  expect(pressed(pressed(left, 'in'), 'fit')).toMatchObject(firstView)
  let state = turning
  for (let times = 0; times < 100; times++) state = pressed(pressed(state, 'up'), 'in')
  expect(state).toMatchObject({ pitch: 89, zoom: 20 })
})

test('it turns once around in ten seconds, and stops when nobody has pressed a key for five minutes', () => {
  const start = startTurning(true)
  expect(passed(start, 10_000).yaw).toBeCloseTo(start.yaw, 6)
  expect(passed(start, 5_000).yaw).toBeCloseTo((start.yaw + 180) % 360, 6)
  expect(passed(startTurning(false), 5_000).yaw).toBe(firstView.yaw)
  const late = passed(start, 300_000)
  expect(late.isTurning).toBe(false)
  expect(passed(pressed(late, 'space'), 100).isTurning).toBe(true)
})

const facts = { kind: 'mesh', triangles: 1234, drawnTriangles: 1234, materials: 2, sizeCm: [80, 80, 110.4] } as const
const line = (columns: number, name = 'SM_Barrel') =>
  lineOf({ name, facts: factWords(facts), keys: turnKeys(true) }, { columns, paint: (_, text) => text })

test('the line says name, triangles, size, materials and keys, as many as there is room for', () => {
  expect(line(140)).toContain('SM_Barrel  1,234 triangles  80 x 80 x 110 cm  2 materials  arrows turn and tilt')
  expect(line(80)).toBe('SM_Barrel  1,234 triangles  80 x 80 x 110 cm  2 materials  ←→↑↓ + - space q')
  expect(line(40)).toBe('SM_Barrel  1,234 triangles  q quits')
  expect(line(12)).toMatch(/q quits/)
  for (let columns = 1; columns < 200; columns++)
    expect(line(columns, 'SM_A_Very_Long_Name_Of_A_Prop').length).toBeLessThanOrEqual(columns)
})

test('a name that holds escape codes is shown, not obeyed', () => {
  expect(line(140, `SM_${ESC}[31mRed\n`)).not.toContain(ESC)
})

test('sizes are centimetres, and metres where a prop is large; what is not drawn in full says so', () => {
  expect(sizeWords([80, 80.6, 1])).toBe('80 x 81 x 1 cm')
  expect(sizeWords([0.25, 1, 2])).toBe('0.25 x 1 x 2 cm')
  expect(sizeWords([1200, 250, 100_000])).toBe('12 x 2.5 x 1,000 m')
  expect(factWords({ ...facts, sizeCm: null, drawnTriangles: 1000 })).toEqual(['1,234 triangles (1,000 shown)', '2 materials'])
  expect(factWords(facts, { triangles: 5000, materials: null })[0]).toBe('5,000 triangles (1,234 shown)')
})
