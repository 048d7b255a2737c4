/** The review card in the official host of MCP Apps, in a real browser: what it shows, what its buttons do, and that texts of people stay text. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { call, connected, waysIn } from '../support/assistants.ts'
import { callsTo } from '../support/calls.ts'
import { showCard } from '../support/card-host.ts'
import { hasChromium } from '../support/chromium.ts'
import { putThumbnail } from '../support/looking-server.ts'
import { pngOf } from '../support/media.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const hostile = 'SM_Barrel <img src=x onerror="document.title=1">'
const inBrowser = test.skipIf(!hasChromium)

/** Mia asks Max about the second version of a prop. */
async function askedRound() {
  const workspace = await server.addWorkspace()
  const mia = callAs(workspace.url, workspace.keys.mia)
  const first = item({ entry: { name: hostile, metadata: { tri_count: 1200 } } })
  const [one] = (await pushed(mia, [first])) as [Json]
  const next = { stamped_lineage_id: one.lineage_id, stamped_base_hash: one.content_hash }
  const [two] = (await pushed(mia, [
    item({ asset_name: first.asset_name, entry: { metadata: { tri_count: 900 } }, ...next }),
  ])) as [Json]
  await putThumbnail(mia, two, await pngOf(512, 256))
  const { id } = await callsTo(workspace, 'max').members.me()
  const { entry_id, object_id } = { entry_id: one.entry_id, object_id: two.object_id }
  const note = '<b>Fewer</b> triangles'
  const { request } = await callsTo(workspace, 'mia').reviewRequests.create({ entry_id, object_id, reviewer_ids: [id], note })
  return { workspace, request_id: request.id, entry_id }
}

const stateOf = async ({ workspace, entry_id }: Awaited<ReturnType<typeof askedRound>>) =>
  (await callsTo(workspace, 'mia').entries.get({ entry_id })).review_status

inBrowser.each(waysIn)(
  'on %s the card shows the picture, what differs and what was said; its button answers the round',
  async (_, way) => {
    const round = await askedRound()
    const client = await way({ workspace: round.workspace, who: 'max' })
    const { card } = await showCard(client, { name: 'review', args: { request_id: round.request_id } })
    await card.getByRole('heading', { name: hostile }).waitFor()
    await card.getByText('<b>Fewer</b> triangles').waitFor()
    await card.getByText('max: has not answered').waitFor()
    await card.getByRole('img').waitFor()
    expect(await card.getByRole('row', { name: /tri count/ }).textContent()).toMatch(/1,200.*900/)
    await card.getByLabel('Your note').fill('Good now')
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByText('You approved it').waitFor()
    await card.getByText('max: ✓ approved').waitFor()
    await card.getByText('Good now').waitFor()
    expect(await card.getByRole('button').count()).toBe(0)
    expect(await stateOf(round)).toBe('approved')
  },
)

inBrowser('what the server refuses stands on the card, and changes are asked for', async () => {
  const round = await askedRound()
  const args = { request_id: round.request_id, note: 'A lid is missing' }
  const stranger = await showCard(await connected({ workspace: round.workspace, who: 'mia' }), { name: 'review', args })
  await stranger.card.getByRole('button', { name: 'Approve' }).click()
  await stranger.card.locator('.failed').filter({ hasText: /\w/ }).waitFor()
  expect(await stateOf(round)).toBe('in_review')
  const max = await connected({ workspace: round.workspace, who: 'max' })
  const { card, page } = await showCard(max, { name: 'review', args, browser: { colorScheme: 'dark' } })
  await card.getByRole('button', { name: 'Request changes' }).click()
  await card.getByText('max: ✎ asked for changes').waitFor()
  await card.getByText('A lid is missing').waitFor()
  if (process.env.PH_SHOTS) await page.screenshot({ path: `${process.env.PH_SHOTS}/card.png` })
  expect(await stateOf(round)).toBe('changes_requested')
})

test.each(waysIn)('on %s a round is shown without a plan, where no answer is given', async (_, way) => {
  const { workspace, request_id } = await askedRound()
  const shown = await call(await way({ workspace, who: 'max' }), 'review', { request_id })
  expect(shown.structuredContent).toMatchObject({ plan: { prop: hostile, is_current: true, request: { id: request_id } } })
  expect(shown.structuredContent).not.toHaveProperty('plan_token')
})
