/** Placing: one rename a file, never over what someone did meanwhile, and fingerprints that can be trusted. */
import { existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { neverTrusted, statKey } from '../../../client/project/fingerprint.ts'
import { type Placed, type Placement, placeAll, waitForTick } from '../../../client/pull/placing/place.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const lookAt = (path: string) => lstatSync(path, { bigint: true })

async function place(...placements: Placement[]): Promise<Placed[]> {
  const results: Placed[] = []
  await placeAll(placements, (index, placed) => {
    results[index] = placed
  })
  return results
}

/** A staged file and the place it is for. */
function staged(folder: string, over: Partial<Placement> = {}): Placement {
  return {
    staged: join(folder, 'staged'),
    path: join(folder, 'Content/A/SM.uasset'),
    replaced: undefined,
    backup: undefined,
    ...over,
  }
}

test('a file comes into a folder that was not there, and its fingerprint is trusted at once', async () => {
  const folder = temporaryFolder({ staged: 'new' })
  const placement = staged(folder)
  const [placed] = await place(placement)
  expect(readFileSync(placement.path, 'utf8')).toBe('new')
  expect(existsSync(placement.staged)).toBe(false)
  expect(placed).toEqual({ result: 'placed', stat: statKey(lookAt(placement.path)) })
  // Whatever is written from now on has a later time than the file had when it was placed.
  writeFileSync(placement.path, 'wen')
  expect(placed?.result === 'placed' && placed.stat).not.toBe(statKey(lookAt(placement.path)))
})

test('what someone put there meanwhile stays', async () => {
  const folder = temporaryFolder({ staged: 'new', 'Content/A/SM.uasset': 'theirs' })
  const placement = staged(folder)
  expect(await place(placement)).toEqual([{ result: 'changed' }])
  expect(readFileSync(placement.path, 'utf8')).toBe('theirs')
  expect(readFileSync(placement.staged, 'utf8')).toBe('new')
})

test('what is replaced goes, or stays under another name', async () => {
  const folder = temporaryFolder({ staged: 'new', 'Content/A/SM.uasset': 'old' })
  const placement = staged(folder)
  const [placed] = await place({ ...placement, replaced: lookAt(placement.path) })
  expect(placed?.result).toBe('placed')
  expect(readFileSync(placement.path, 'utf8')).toBe('new')
  expect(existsSync(`${placement.staged}.old`)).toBe(false)
  writeFileSync(placement.staged, 'newer')
  const backup = join(folder, 'Backups/x/SM.uasset')
  await place({ ...placement, replaced: lookAt(placement.path), backup })
  expect([readFileSync(placement.path, 'utf8'), readFileSync(backup, 'utf8')]).toEqual(['newer', 'new'])
})

test('a file that was saved after it was looked at stays as it was saved, in place or as a new file', async () => {
  const folder = temporaryFolder({ staged: 'new', 'Content/A/SM.uasset': 'old' })
  const placement = staged(folder, { backup: join(folder, 'backup') })
  const replaced = lookAt(placement.path)
  writeFileSync(placement.path, 'saved in place')
  expect(await place({ ...placement, replaced })).toEqual([{ result: 'changed' }])
  expect(readFileSync(placement.path, 'utf8')).toBe('saved in place')
  expect(existsSync(join(folder, 'backup'))).toBe(false)
})

test('a file that was removed meanwhile is not brought back', async () => {
  const folder = temporaryFolder({ staged: 'new', 'Content/A/SM.uasset': 'old', gone: 'x' })
  const placement = staged(folder)
  const replaced = lookAt(join(folder, 'gone'))
  const path = join(folder, 'Content/A/Removed.uasset')
  expect(await place({ ...placement, path, replaced })).toEqual([{ result: 'changed' }])
  expect(existsSync(path)).toBe(false)
})

test('what was there keeps its place, and gets no second name, when its successor cannot be moved there', async () => {
  const folder = temporaryFolder({ staged: 'new', second: 'too', 'Content/A/SM.uasset': 'old' })
  const [first, path, backup] = [staged(folder), join(folder, 'Content/A/SM.uasset'), join(folder, 'backup')]
  const second = { ...first, staged: join(folder, 'second'), path, replaced: lookAt(path), backup }
  const results: Placed[] = []
  await placeAll([{ ...first, path: join(folder, 'Content/A/Other.uasset') }, second], (index, placed) => {
    results[index] = placed
    if (index === 0) rmSync(second.staged)
  })
  expect(results[1]).toEqual({ result: 'failed', code: 'ENOENT' })
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect([existsSync(backup), lookAt(path).nlink]).toEqual([false, 1n])
})

test('what the system refuses is said of that file, and the others are placed', async () => {
  const folder = temporaryFolder({ staged: 'new', second: 'too', 'Content/A/SM.uasset/in-the-way': '' })
  const placement = staged(folder)
  const other = { ...placement, staged: join(folder, 'second'), path: join(folder, 'Content/A/Other.uasset') }
  const blocked = { ...placement, path: join(folder, 'staged-is-no-folder/x') }
  writeFileSync(join(folder, 'staged-is-no-folder'), '')
  const results = await place(blocked, other)
  expect(results.map(({ result }) => result)).toEqual(['failed', 'placed'])
  expect(readFileSync(other.path, 'utf8')).toBe('too')
})

test('a file of a disk that knows whole seconds only is looked at again next time', async () => {
  const folder = temporaryFolder({ staged: 'new' })
  const placement = staged(folder)
  const { utimesSync } = await import('node:fs')
  utimesSync(placement.staged, 1_700_000_000, 1_700_000_000)
  expect(await place(placement)).toEqual([{ result: 'placed', stat: neverTrusted }])
})

test('placing waits until the clock has moved on from the newest file', async () => {
  const folder = temporaryFolder({ staged: 'new' })
  const before = statSync(join(folder, 'staged'), { bigint: true })
  const writtenBefore = await waitForTick([before])
  expect(writtenBefore).toBeGreaterThan(before.mtimeNs)
})
