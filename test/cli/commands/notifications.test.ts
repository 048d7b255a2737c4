/** ph notifications: what others did that concerns one, read and unread, and what of it one wants to be told. */
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { innWith, say } from '../../support/discussion.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

const idsOf = ({ notifications }: Json): number[] => notifications.map(({ id }: Json) => id)

/** Max has said three things about Mia's barrel. */
async function told() {
  const inn = await innWith(server)
  const top = await say(inn.as.max, inn.barrel.entry_id, { body: 'one @mia' })
  await say(inn.as.max, inn.barrel.entry_id, { body: 'two' })
  await say(inn.as.max, inn.barrel.entry_id, { body: 'three\u001b[2J' })
  return { ...inn, top }
}

test('each is a sentence with what was said, newest first; what is unread has a sign that needs no colour', async () => {
  const { at, ok } = await told()
  const [, second] = idsOf(await ok('mia', 'notifications'))
  await at.mia(`notifications read ${second}`)
  await at.mia('notifications seen')
  const { stdout } = await at.mia('notifications')
  expect(stdout.replaceAll(/(?<=^.) \d+ /gm, ' N ')).toMatch(
    /^\* N max commented on SM_Barrel, just now\n {4}"three\ufffd\[2J"\n {2}N max commented on SM_Barrel, just now\n {4}"two"\n\* N max named you in a comment on SM_Barrel, just now\n {4}"one @mia"\n\n2 unread\. `ph notifications read \d+`/,
  )
})

test('the JSON holds them as they are stored, with the name of the prop and how many are unread', async () => {
  const { ok, as, barrel } = await told()
  const { notifications } = (await as.mia.get('/notifications')).body
  expect(await ok('miaReads', 'notifications')).toEqual({
    unread: 3,
    notifications: notifications.map((one: Json) => ({ ...one, entry_name: 'SM_Barrel' })),
    next_cursor: null,
  })
  expect(notifications[0].entry_id).toBe(barrel.entry_id)
})

test('reviews are told with who wants what, and replies and resolved threads too', async () => {
  const { at, as, ids, barrel } = { ...(await innWith(server)), ids: {} as Json }
  for (const { id, name } of (await as.mia.get('/members')).body.members) ids[name] = id
  const asked = await as.mia.post(`/entries/${barrel.entry_id}/review-requests`, {
    object_id: barrel.object_id,
    reviewer_ids: [ids.max],
  })
  await as.max.post(`/review-requests/${asked.body.request.id}/respond`, { response: 'changes_requested', assign_to: ids.olivia })
  const top = await say(as.mia, barrel.entry_id)
  await say(as.max, barrel.entry_id, { parent_id: top.id })
  await as.max.post(`/comments/${top.id}/resolve`)
  expect((await at.max('notifications')).stdout).toContain('mia asks you to review SM_Barrel, just now')
  expect((await at.olivia('notifications')).stdout).toContain('max assigned the changes to SM_Barrel to you')
  const { stdout } = await at.mia('notifications')
  expect(stdout).toMatch(/resolved your thread on[\s\S]*replied to you on[\s\S]*max requests changes to SM_Barrel/)
})

test('pages go on where the one before stopped, with --unread and without', async () => {
  const { ok, at } = await told()
  const all = idsOf(await ok('mia', 'notifications'))
  const first = await ok('mia', 'notifications --limit 2')
  expect([idsOf(first), first.next_cursor]).toEqual([all.slice(0, 2), all[1]])
  expect(idsOf(await ok('mia', `notifications --cursor ${first.next_cursor}`))).toEqual(all.slice(2))
  await at.mia(`notifications read ${all[0]}`)
  expect(idsOf(await ok('mia', 'notifications --unread'))).toEqual(all.slice(1))
  expect((await at.mia('notifications --limit 1')).stderr).toContain('1 notification shown; there are more')
})

test('named ones are marked as read, or all, or all up to one', async () => {
  const { ok, at } = await told()
  const [newest = 0, middle = 0, oldest = 0] = idsOf(await ok('mia', 'notifications'))
  expect(await ok('mia', `notifications read ${oldest} ${oldest} 999999`)).toEqual({ updated: 1, unread: 2 })
  expect((await at.mia(`notifications read --all --before ${middle}`)).stdout).toBe(
    'Marked 1 notification as read. 1 notification still unread.\n',
  )
  expect(idsOf(await ok('mia', 'notifications --unread'))).toEqual([newest])
  expect((await at.mia('notifications read --all')).stdout).toBe('Marked 1 notification as read. Nothing is unread now.\n')
  expect((await at.mia('notifications --unread')).stdout).toBe('No unread notifications.\n')
})

test('seen clears the badge and leaves them unread', async () => {
  const { ok, at } = await told()
  const [newest = 0] = idsOf(await ok('mia', 'notifications'))
  expect(await ok('mia', `notifications seen --before ${newest - 1}`)).toEqual({ updated: 2 })
  expect((await at.mia('notifications seen')).stdout).toBe('1 notification is no longer new.\n')
  const { notifications, unread } = await ok('mia', 'notifications')
  expect([unread, notifications.every(({ seen_at }: Json) => seen_at !== null)]).toEqual([3, true])
})

test('a reason is switched off and on without touching the others, and all of them by one word', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  await at.mia('notifications prefs comment.new off')
  await at.mia('notifications prefs review.mention on')
  expect((await ok('mia', 'notifications prefs all off')).prefs).toEqual([
    { reason: 'review.mention', enabled: true },
    { reason: 'comment.new', enabled: false },
    { reason: '*', enabled: false },
  ])
  const lines = (await at.mia('notifications prefs')).stdout.split('\n').map((line) => line.split('\t').slice(0, 2).join(' '))
  expect(lines).toContain('review.mention on')
  expect(lines).toContain('comment.new off')
  expect(lines).toContain('comment.reply off (default)')
  await say(as.max, barrel.entry_id)
  expect((await ok('mia', 'notifications')).unread).toBe(0)
  expect((await ok('mia', 'notifications prefs all default')).prefs).toHaveLength(2)
  expect((await ok('mia', 'notifications prefs comment.new default')).prefs).toEqual([
    { reason: 'review.mention', enabled: true },
  ])
})

test.each([
  ['notifications read', 2, 'No notification was named.'],
  ['notifications read 1 --all', 2, 'none can be named beside it'],
  ['notifications read 1 --before 3', 2, '--before goes with --all.'],
  ['notifications read one', 2, '"one" is not the id of a notification.'],
  ['notifications prefs comment.knew off', 2, 'Did you mean comment.new?'],
  ['notifications prefs comment.new', 2, 'What should become of comment.new?'],
  ['notifications prefs comment.new maybe', 2, '"maybe" is no choice.'],
  ['notifications --limit 0', 2, '--limit takes a whole number'],
])('ph %s is wrong usage', async (line, code, said) => {
  const { at } = await innWith(server)
  const ended = await at.mia(line)
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(said)])
})

test('a key that only reads may look and change nothing', async () => {
  const { at, ok } = await told()
  for (const line of ['notifications read --all', 'notifications seen', 'notifications prefs all off'])
    expect((await at.miaReads(line)).stderr, line).toContain('This key is read-only.')
  expect((await ok('miaReads', 'notifications')).unread).toBe(3)
})
