/** ph inbox on a real terminal: list and thing, one key each, one pane where it is narrow. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { hasTerminal, openTerminal } from '../../support/terminal.ts'
import { picture } from '../../support/unreal-project.ts'

/** Mia is asked to review a second version of the barrel, the first of which was approved, and mentioned at the stool. */
async function inn() {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  const [olivia, mia] = [personAt(url, keys.olivia), personAt(url, keys.mia)]
  const as = { olivia: callAs(url, keys.olivia), mia: callAs(url, keys.mia), max: callAs(url, keys.max) }
  const triangles = (count: number) => ({ tags: { Triangles: String(count) }, thumbnail: picture })
  await olivia.save('SM_Barrel', 'one', triangles(1200))
  await olivia.save('SM_Stool')
  await olivia.ok('push')
  const named = async (name: string): Promise<Json> => (await as.mia.get(`/entries?name=${name}`)).body.entries[0]
  const first = await named('SM_Barrel')
  await as.olivia.put(`/entries/${first.id}/review`, { object_id: first.object_id, state: 'approved' })
  await olivia.save('SM_Barrel', 'two', triangles(2400))
  await olivia.ok('push')
  const barrel = await named('SM_Barrel')
  const { id: mine } = (await as.mia.get('/members/me')).body
  const round = { object_id: barrel.object_id, reviewer_ids: [mine], note: 'Finer rings' }
  const { request } = (await as.olivia.post(`/entries/${barrel.id}/review-requests`, round)).body
  await as.max.post(`/entries/${(await named('SM_Stool')).id}/comments`, { body: '@mia is it\n\u001b[31mred?' })
  return { mia, as, barrel, stool: await named('SM_Stool'), request, mine }
}

type Terminal = ReturnType<typeof openTerminal>

async function openInbox({ env, root }: Person, size: { columns: number; rows: number }): Promise<Terminal> {
  const terminal = openTerminal(size, env)
  terminal.type(`cd ${root}; clear; ph inbox; echo "ended with $?"`, 'Enter')
  await terminal.shows('Inbox: 1 review, 1 mention')
  return terminal
}

const shown = (terminal: Terminal): string => terminal.screen().join('\n')

const onTerminal = test.runIf(hasTerminal)

onTerminal(
  'list and thing stand side by side in 80 columns: note, what differs from the approved version, impact, who was asked',
  async () => {
    const { mia } = await inn()
    const terminal = await openInbox(mia, { columns: 80, rows: 24 })
    await terminal.shows('Review 1')
    const screen = shown(terminal)
    expect(screen).toMatch(/^> review {2}SM_Barrel {2,}│ SM_Barrel$/m)
    expect(screen).toContain('│ | Finer rings')
    expect(screen).toContain('│ v2, pushed by olivia, beside v1, approved')
    expect(screen).toContain('│ triangles    1,200 → 2,400 (+1,200)')
    expect(screen).toContain('No other entry uses it; pulled into no project.')
    expect(screen).toContain('mia has not answered')
    expect(terminal.screen().every((line) => line.length <= 80)).toBe(true)
    terminal.type('Down')
    await terminal.shows(/^> mention {2}SM_Stool/m)
    await terminal.shows('1 comment')
    expect(shown(terminal)).toContain('| �[31mred?')
    terminal.type('q')
    const lines = await terminal.shows(/ended with \d/)
    expect(lines).toContain('ended with 0')
    expect(lines.join('\n')).not.toContain('Inbox:')
    expect(terminal.hasCursor()).toBe(true)
  },
)

onTerminal('a review is answered with a note, and is gone then; the note can be taken back with Esc', async () => {
  const { mia, as, barrel, request, mine } = await inn()
  const terminal = await openInbox(mia, { columns: 80, rows: 24 })
  terminal.type('a')
  await terminal.shows('Approve SM_Barrel?')
  terminal.type('-l', 'no')
  terminal.type('Escape')
  await terminal.shows('Nothing was sent.')
  expect((await as.mia.get(`/review-requests/${request.id}`)).body.request.status).toBe('open')
  terminal.type('x')
  await terminal.shows('What is to change in SM_Barrel?')
  terminal.type('Enter')
  await terminal.shows('Write something, or press Esc.')
  terminal.type('-l', 'Lower ringz')
  terminal.type('BSpace')
  terminal.type('-l', 's')
  await terminal.shows('> Lower rings_')
  terminal.type('Enter')
  await terminal.shows('Inbox: 1 mention')
  await terminal.shows('SM_Barrel: changes requested.')
  const { reviewers } = (await as.mia.get(`/review-requests/${request.id}`)).body.request
  expect(reviewers).toMatchObject([{ user: { id: mine }, response: 'changes_requested', note: 'Lower rings' }])
  expect((await as.mia.get(`/entries/${barrel.id}`)).body.review_status).toBe('changes_requested')
  expect((await as.mia.get('/notifications?unread=true')).body.notifications).toMatchObject([{ reason: 'comment.mention' }])
})

onTerminal('c in a thread replies there, and reads it; r marks as read', async () => {
  const { mia, as, stool } = await inn()
  const terminal = await openInbox(mia, { columns: 80, rows: 24 })
  terminal.type('End')
  await terminal.shows('1 comment')
  terminal.type('c')
  await terminal.shows('A comment on SM_Stool')
  terminal.type('-l', 'Blue, I think')
  terminal.type('Enter')
  await terminal.shows('Replied.')
  await terminal.shows('Inbox: 1 review')
  const { comments } = (await as.mia.get(`/entries/${stool.id}/comments`)).body
  expect(comments).toMatchObject([{ parent_id: null }, { body: 'Blue, I think', parent_id: comments[0].id }])
  terminal.type('r')
  await terminal.shows('Marked as read.')
  expect((await as.mia.get('/notifications/unread-count')).body.unread).toBe(0)
  expect(shown(terminal)).toContain('> review  SM_Barrel')
})

onTerminal('p pulls and o checks out on the plain terminal, and Enter comes back', async () => {
  const { mia, as } = await inn()
  const terminal = await openInbox(mia, { columns: 80, rows: 24 })
  terminal.type('p')
  await terminal.shows('Press Enter to go back to the inbox.')
  expect(shown(terminal)).toContain('Pulled SM_Barrel into Inn')
  terminal.type('Enter')
  await terminal.shows('Inbox: 1 review, 1 mention')
  terminal.type('o')
  await terminal.shows(/Checked out 1 prop until[\s\S]*Press Enter to go back to the inbox\./)
  terminal.type('Enter')
  await terminal.shows('Inbox: 1 review, 1 mention')
  expect((await as.mia.get('/locks?active=true')).body.locks).toMatchObject([{ holder: { name: 'mia' } }])
  terminal.type('?')
  await terminal.shows('Keys (any key goes back)')
  terminal.type('?', 'C-c')
  expect(await terminal.shows(/ended with \d/)).toContain('ended with 130')
})

onTerminal('in 40 columns one pane is seen at a time, and a terminal that is resized is drawn anew', async () => {
  const { mia } = await inn()
  const terminal = await openInbox(mia, { columns: 40, rows: 24 })
  await terminal.shows('> review  SM_Barrel')
  expect(shown(terminal)).not.toMatch(/│|Finer rings/)
  terminal.type('Enter')
  await terminal.shows('| Finer rings')
  expect(shown(terminal)).not.toContain('mention  SM_Stool')
  await terminal.shows('triangles    1,200 → 2,400 (+1,200)')
  expect(terminal.screen().every((line) => line.length <= 40)).toBe(true)
  terminal.resize({ columns: 90, rows: 20 })
  await terminal.shows(/mention {2}SM_Stool {2,}┃/)
  expect(shown(terminal)).toContain('Finer rings')
  terminal.resize({ columns: 40, rows: 12 })
  await terminal.shows(/^\| Finer rings/m)
  expect(shown(terminal)).not.toContain('SM_Stool')
  terminal.type('Escape')
  await terminal.shows('mention  SM_Stool')
  expect(terminal.screen().every((line) => line.length <= 40)).toBe(true)
})

onTerminal('what the library refuses is said with its reason, and nothing is lost', async () => {
  const { mia, as, request } = await inn()
  const terminal = await openInbox(mia, { columns: 100, rows: 24 })
  await as.olivia.post(`/review-requests/${request.id}/cancel`)
  terminal.type('a')
  await terminal.shows('Approve SM_Barrel?')
  terminal.type('Enter')
  await terminal.shows(/cancelled|not open|closed/)
  terminal.type('u')
  await terminal.shows('Inbox: 1 mention')
})

onTerminal('without colour, signs say which one is selected and which side has the keys', async () => {
  const { mia } = await inn()
  const terminal = await openInbox({ ...mia, env: { ...mia.env, NO_COLOR: '1' } }, { columns: 80, rows: 24 })
  await terminal.shows(/^> review/m)
  expect(shown(terminal)).toContain(' │ ')
  terminal.type('Tab')
  await terminal.shows(' ┃ ')
})
