/** ph watch, unwatch, mute and watches: whose comments one hears of. */
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { innWith, say } from '../../support/discussion.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

async function inn() {
  const room = await innWith(server)
  const [stool] = await pushed(room.as.olivia, [item({ asset_name: 'SM_Stool' })])
  const unread = async (who: 'max' | 'mia') => (await room.as[who].get('/notifications/unread-count')).body.unread
  return { ...room, stool, unread }
}
const outcomes = ({ entries }: Json) => entries.map(({ name, status, outcome }: Json) => [name, status, outcome])

test('who watches hears of comments; who mutes does not, also when taking part; unwatch goes back to the default', async () => {
  const { at, ok, as, barrel, unread } = await inn()
  expect(outcomes(await ok('max', 'watch SM_Barrel SM_Stool'))).toEqual([
    ['SM_Barrel', 'done', 'watched'],
    ['SM_Stool', 'done', 'watched'],
  ])
  await say(as.olivia, barrel.entry_id)
  expect(await unread('max')).toBe(1)
  await at.max('mute SM_Barrel')
  await say(as.max, barrel.entry_id)
  await say(as.olivia, barrel.entry_id)
  expect(await unread('max')).toBe(1)
  expect((await ok('max', 'watches')).watches).toMatchObject([
    { name: 'SM_Stool', state: 'watching' },
    { name: 'SM_Barrel', state: 'muted' },
  ])
  await at.max('unwatch SM_Barrel SM_Stool')
  expect((await ok('max', 'watches')).watches).toEqual([])
})

test('what is so already is said and left; a list may be piped', async () => {
  const { ok } = await inn()
  await ok('max', 'watch SM_Barrel')
  const again = await ok('max', 'watch -', { stdin: 'SM_Barrel\nSM_Stool\n' })
  expect(outcomes(again)).toEqual([
    ['SM_Barrel', 'unchanged', 'watched already'],
    ['SM_Stool', 'done', 'watched'],
  ])
})

test('who pushed a prop first watches it all the same: unwatch says so, and what silences it', async () => {
  const { at, ok, as, barrel, unread } = await inn()
  for (const told of [
    await at.mia('unwatch SM_Barrel'),
    (await at.mia('watch SM_Barrel')) && (await at.mia('unwatch SM_Barrel')),
  ])
    expect(told.stdout).toContain(
      `You pushed SM_Barrel first, so you still hear of its comments; \`ph mute ${barrel.entry_id}\` silences it.`,
    )
  expect(outcomes(await ok('mia', 'unwatch SM_Barrel'))).toEqual([['SM_Barrel', 'unchanged', 'at the default already']])
  expect((await at.mia('watches')).stdout).toContain('you pushed it first')
  expect((await ok('mia', 'watches --chosen')).watches).toEqual([])
  await at.mia('mute SM_Barrel')
  await say(as.max, barrel.entry_id)
  expect(await unread('mia')).toBe(0)
  expect((await ok('mia', 'watches --muted')).watches).toMatchObject([{ name: 'SM_Barrel' }])
})

test('an entry that is not there is named, and the others are done', async () => {
  const { at, as, barrel } = await inn()
  const { code, stdout } = await at.max(`watch 999999 ${barrel.entry_id}`)
  expect([code, stdout]).toEqual([6, expect.stringContaining('There is no entry 999999')])
  expect((await as.max.get(`/entries/${barrel.entry_id}/watch`)).body.watching).toBe(true)
})

test('a key that only reads may look and change nothing', async () => {
  const { at, ok } = await inn()
  for (const word of ['watch', 'unwatch', 'mute'])
    expect((await at.miaReads(`${word} SM_Barrel`)).stderr, word).toContain('This key is read-only.')
  expect((await ok('miaReads', 'watches')).watches).toHaveLength(1)
})
