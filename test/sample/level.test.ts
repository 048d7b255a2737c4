// Levels that the sample writes: every actor a package with its label, as the engines store it.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { readPackage } from '../../formats/uasset/uasset.ts'
import { readActor } from '../../formats/uasset-data/actor.ts'
import { labelOf, levelSizes, makeSampleLevel, moveSampleActor } from '../../sample/level.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test.each(['5.0.3', '5.3.2', '5.4.4', '5.7.4'])(
  'the actors of a level saved by %s are called what the outliner calls them',
  async (engine) => {
    const root = temporaryFolder()
    const { actors } = await makeSampleLevel(root, { actors: 20, engine })
    for (const [index, file] of actors.entries()) {
      const [bytes, stem] = [readFileSync(join(root, file)), basename(file, '.uasset')]
      expect(readActor(bytes, { stem })?.label).toBe(labelOf(index) ?? null)
      expect(readPackage(bytes, { stem, fileSize: bytes.length })).toMatchObject({
        imports: expect.arrayContaining(['/Game/Maps/L_Harbor']),
      })
    }
  },
)

test('a level has as many files as actors; the same seed gives the same bytes, and one that was moved other ones with the same label', async () => {
  const [one, other] = [temporaryFolder(), temporaryFolder()]
  const { file, actors } = await makeSampleLevel(one, { actors: levelSizes.town })
  await makeSampleLevel(other, { actors: levelSizes.town })
  expect(new Set(actors).size).toBe(300)
  const bytes = (root: string, path: string) => readFileSync(join(root, path))
  for (const path of [file, ...actors]) expect(bytes(other, path)).toEqual(bytes(one, path))
  const moved = actors[7] ?? ''
  await moveSampleActor(other, 7, { seed: 'moved' })
  expect(bytes(other, moved)).not.toEqual(bytes(one, moved))
  expect(readActor(bytes(other, moved), { stem: basename(moved, '.uasset') })?.label).toBe(labelOf(7))
})
