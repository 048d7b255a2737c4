/** The note of who has a folder, on disks whose locks may not hold. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OwnerNote } from '../../server/database/embedded/owner-note.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A busy machine may take its time: an owner may be late by three of them. */
const beatMs = 1000
const patience = { timeout: 60_000 }

async function take(dir: string) {
  const told: string[] = []
  const note = await OwnerNote.take(dir, { lost: (why) => told.push(why), beatMs })
  onTestFinished(() => note.release())
  return { note, told }
}
const noteIn = (dir: string) => join(dir, 'owner.json')

test('who has a folder keeps it from others, who are told of it, and lets it go at once', async () => {
  const dir = temporaryFolder()
  const first = await take(dir)
  await expect(take(dir)).rejects.toThrow(`process ${process.pid} on `)
  expect(first.told).toEqual([])
  await first.note.release()
  const second = await take(dir)
  expect([first.told, second.told]).toEqual([[], []])
})

test('of several that want a free folder at the same moment one gets it', async () => {
  const dir = temporaryFolder()
  const attempts = await Promise.allSettled([take(dir), take(dir), take(dir)])
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('the note of an owner that is dead is taken over, and that of one that only seemed so is not given back', async () => {
  const dir = temporaryFolder()
  const dead = { token: 'dead', beat: 7, pid: 1, host: 'elsewhere' }
  writeFileSync(noteIn(dir), JSON.stringify(dead))
  const { note, told } = await take(dir)
  expect(JSON.parse(readFileSync(noteIn(dir), 'utf8'))).toMatchObject({ pid: process.pid })
  writeFileSync(noteIn(dir), JSON.stringify({ ...dead, beat: 8 }))
  await expect.poll(() => told, patience).toEqual(['another process has taken it (process 1 on elsewhere)'])
  await note.release()
  expect(JSON.parse(readFileSync(noteIn(dir), 'utf8'))).toMatchObject({ token: 'dead' })
})

test('an owner whose note is gone, or cannot be read, has lost the folder', async () => {
  const [gone, unreadable] = [temporaryFolder(), temporaryFolder()]
  const [one, other] = await Promise.all([take(gone), take(unreadable)])
  rmSync(noteIn(gone))
  writeFileSync(noteIn(unreadable), 'nothing of ours')
  await expect.poll(() => one.told, patience).toEqual([expect.stringContaining('another process has taken it')])
  await expect.poll(() => other.told, patience).toEqual([expect.stringContaining('does not answer in time')])
})

test('what is no note stops a start, and is named', async () => {
  const dir = temporaryFolder({ 'owner.json': 'nothing of ours' })
  await expect(take(dir)).rejects.toThrow(`${noteIn(dir)} is not the note of an owner`)
})
