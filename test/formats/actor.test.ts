// External actors of levels: what people call them.
import { describe, expect, test } from 'vitest'
import { readActor } from '../../formats/uasset-data/actor.ts'
import { type ObjectBytes, sourcePackage } from '../support/source-package.ts'

const stem = 'KTFO8ZB9PNC25BHF9S1QCN'

async function actor(engine: string, properties: (out: ObjectBytes) => void) {
  return readActor(await sourcePackage({ assetClass: 'StaticMeshActor', engine, properties, data: () => {} }), { stem })
}

describe.each(['5.0.3', '5.3.2', '5.4.4', '5.7.4'])('actors saved by %s', (engine) => {
  test('an actor is known by the label that the outliner shows', async () => {
    const found = await actor(engine, (out) => {
      out.property('bHidden', ['BoolProperty'], true)
      out.property('ActorLabel', ['StrProperty'], (value) => value.string('Lantern 樽 2'))
    })
    expect(found).toEqual({ label: 'Lantern 樽 2', class: 'StaticMeshActor' })
  })

  test('an actor without a label, or with an empty one, has its class', async () => {
    expect(await actor(engine, () => {})).toEqual({ label: null, class: 'StaticMeshActor' })
    const empty = await actor(engine, (out) => out.property('ActorLabel', ['StrProperty'], (value) => value.string('')))
    expect(empty?.label).toBeNull()
  })
})

test('a label that is endless is cut where the outliner would cut it', async () => {
  const found = await actor('5.4.4', (out) =>
    out.property('ActorLabel', ['StrProperty'], (value) => value.string('x'.repeat(5000))),
  )
  expect(found?.label).toHaveLength(256)
})
