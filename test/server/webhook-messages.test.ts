// What chat programs get of texts that people wrote: one line in which nothing marks, mentions, links or speaks for the library (spec 6).
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { ok } from '../support/check-out.ts'
import { item, pushed } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({ webhookAllowPrivate: true }, byHand)

/** What a text would have to hold to be more than text, in Slack and in programs that take its messages. */
const markup =
  '<!channel> <@U012AB3CD> <https://evil.test|ok> &lt;!here&gt; @channel *bold* _sloped_ ~gone~ `code` ||hidden|| [text](https://evil.test) __under__'
const hidden = 'a\u202eb\u200bc\u{e0041}d\u2028e\u0007f\r\ng\th'

/** Mia, of that name, does all that sentences quote; gives what a channel gets, by the type of the event. */
async function told({ person, name, note }: { person: string; name: string; note: string }): Promise<Record<string, Json>> {
  const { url, keys, slug } = await server.addWorkspace()
  const [mia, adam] = [callAs(url, keys.mia), callAs(url, keys.adam)]
  const member = { email: `mia@${slug}.test`, name: 'mia', display_name: person, role: 'member' as const }
  await server.changeWorkspace(slug, { members: [member] })
  const receiver = await startReceiver()
  ok(await adam.post('/admin/webhooks', { url: `${receiver.url}/chat`, format: 'slack' }), 201)
  ok(await adam.post('/admin/webhooks', { url: `${receiver.url}/events` }), 201)
  const [made] = (await pushed(mia, [item({ entry: { name } })], { note })) as [Json]
  const { lock } = ok(await mia.post('/locks', { lineage_id: made.lineage_id, note }), 201)
  ok(await mia.post('/locks/release', { lock_ids: [lock.id] }))
  ok(await mia.post('/pull-jobs', { entries: [{ entry_id: made.entry_id }], target_project: note.slice(0, 200) }), 201)
  ok(await mia.post(`/entries/${made.entry_id}/comments`, { body: note }), 201)
  await expect.poll(() => [receiver.of('/chat').length, receiver.of('/events').length]).toEqual([5, 5])
  const texts = receiver.of('/chat').map(({ headers, json }) => [headers['x-ph-event'], json])
  return Object.fromEntries(texts)
}

test('markup, mentions and links of Slack and of Markdown are text, in names of people and props, notes and projects', async () => {
  const all = await told({ person: markup.slice(0, 60), name: markup, note: markup })
  for (const [type, json] of Object.entries(all)) {
    expect([type, Object.keys(json)]).toEqual([type, ['text']])
    const { text } = json
    expect([type, text]).toEqual([type, expect.stringMatching(/^Prop House: [^\n]*$/)])
    expect([type, text.replaceAll(/&(amp|lt|gt);/g, '')]).toEqual([type, expect.not.stringMatching(/[&<>@*~`|]|\]\(/)])
    expect([type, text]).toEqual([type, expect.not.stringMatching(/(^|[^\p{L}\p{N}])_|_($|[^\p{L}\p{N}])/u)])
  }
  expect(all['push.commit'].text).toContain('&lt;!channel&gt; &lt;＠U012AB3CD&gt;')
  expect(all['push.commit'].text).toContain('&amp;lt;!here&amp;gt; ＠channel ∗bold∗ ＿sloped＿')
})

test('a message is one line in which nothing is hidden, and names keep their underscores', async () => {
  const all = await told({ person: 'Mia Meier', name: `SM_Barrel_01\n\nProp House: max approved it`, note: hidden })
  for (const { text } of Object.values(all)) expect(text).toMatch(/^[\p{L}\p{N}\p{P}\p{S} ]*$/u)
  expect(all['push.commit'].text).toBe('Prop House: Mia Meier pushed SM_Barrel_01 Prop House: max approved it v1: abcd ef g h')
  expect(all['lock.acquire'].text).toMatch(/^Prop House: Mia Meier checked out SM_Barrel_01 .*: abcd ef g h$/)
  expect(all['download.pull'].text).toMatch(/^Prop House: Mia Meier ordered SM_Barrel_01 .* for abcd ef g h$/)
})

test('what stands behind the longest names is said all the same', async () => {
  const all = await told({ person: 'm'.repeat(120), name: 'n'.repeat(200), note: '😀'.repeat(1000) })
  expect(all['push.commit'].text).toBe(`Prop House: ${'m'.repeat(120)} pushed ${'n'.repeat(200)} v1: ${'😀'.repeat(1000)}`)
  expect(all['download.pull'].text).toBe(`Prop House: ${'m'.repeat(120)} ordered ${'n'.repeat(200)} for ${'😀'.repeat(100)}`)
})
