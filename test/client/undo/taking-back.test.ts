/** The table of taking back, held against the contract. */
import { expect, test } from 'vitest'
import { takingBack } from '../../../client/undo/taking-back.ts'
import { allRoutes } from '../../../contract/index.ts'
import { effectOf } from '../../../contract/route.ts'

/** What a pull changed here. */
const onThisDisk = ['files.takenAway']
const writing = allRoutes.flatMap(([noun, verb, route]) => (effectOf(route) === 'reads' ? [] : `${noun}.${verb}`))

test('every route that writes says how it is taken back, why it cannot be, or why it is no change of its own', () => {
  expect(writing.filter((name) => !Object.hasOwn(takingBack, name))).toEqual([])
})

test('no row is of a route that does not write', () => {
  expect(Object.keys(takingBack).filter((name) => !writing.includes(name) && !onThisDisk.includes(name))).toEqual([])
})

test('reasons are whole sentences', () => {
  const reasons = Object.values(takingBack).flatMap((row) => ('stays' in row ? row.stays : 'aside' in row ? row.aside : []))
  expect(reasons.filter((why) => !/^[A-Z].*\.$/.test(why))).toEqual([])
})
