/** Placing while someone saves the same file, at every moment of it: on disks with hard links and on those that know none. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { SavedMoment } from '../../support/edited-places.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const program = fileURLToPath(new URL('../../support/edited-places.ts', import.meta.url))
const linkless = new URL('../../support/disk-without-links.ts', import.meta.url).href

async function everyMoment(...loaded: string[]): Promise<SavedMoment[]> {
  const folder = temporaryFolder()
  const child = spawn(process.execPath, [...loaded.flatMap((one) => ['--import', one]), program, folder], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
  return JSON.parse(readFileSync(join(folder, 'moments.json'), 'utf8'))
}

/** A file that an editor holds open goes after the last look at it: what is written into it in the last three calls is nowhere. */
function withoutEnd(moments: readonly SavedMoment[]): SavedMoment[] {
  const isHeldOpen = ({ how, scenario }: SavedMoment) => how === 'through an open file' && scenario === 'replace'
  return [...moments.filter((moment) => !isHeldOpen(moment)), ...moments.filter(isHeldOpen).slice(0, -3)]
}

const lost = (moments: readonly SavedMoment[]): SavedMoment[] => withoutEnd(moments).filter(({ found }) => found === undefined)

test('without links a save at any moment of placing is in the place, held, or a backup afterwards', async () => {
  const moments = await everyMoment(linkless)
  expect(new Set(moments.map(({ scenario, how }) => `${scenario} ${how}`)).size).toBe(8)
  expect(new Set(moments.map(({ found }) => found))).toEqual(new Set(['place', 'held', 'backup', undefined]))
  expect(lost(moments)).toEqual([])
})

test('with links a save in the same file is never lost, and one by renaming only between the look and the rename', async () => {
  const moments = await everyMoment()
  expect(lost(moments).map(({ scenario, how, call }) => `${scenario}, ${how}, ${call}`)).toEqual([
    'replace, by renaming, lstatSync',
    'replace, by renaming, renameSync',
    'overwrite, by renaming, lstatSync',
    'overwrite, by renaming, renameSync',
  ])
})
