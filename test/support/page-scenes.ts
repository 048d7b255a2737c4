/** Every page in every shape that people meet, with a lively workspace behind it: for what is asked of all of them. */
import type { Page } from 'playwright-core'
import { invite } from '../../server/accounts/invitations.ts'
import { makePasswordLink } from '../../server/accounts/password-links.ts'
import { addPerson } from '../../server/accounts/people.ts'
import { provision } from '../../server/provision/provision.ts'
import { callAs } from './api.ts'
import { ask } from './browser.ts'
import { emptyServer } from './empty-server.ts'
import { item, pushed, upload } from './push.ts'
import { byHand, newKey, startTestServer, type TestServer } from './server.ts'

export interface Scene {
  name: string
  /** Seen by the one who has not signed in. */
  isBefore?: true
  open: (page: Page) => Promise<unknown>
}

export interface Stage {
  urls: readonly string[]
  scenes: readonly Scene[]
  signIn: (page: Page) => Promise<void>
}

const people = [
  ['Ada Lovelace', 'ada', 'owner'],
  ['Björn Ståhl', 'bjorn', 'admin'],
  ['Chidi Okonkwo-Featherstonehaugh', 'chidi', 'member'],
  ['Dora Departed', 'dora', 'member'],
] as const

const password = 'correct horse battery'
const email = (name: string) => `${name}@studio-oak.test`

/** Studio Oak, seen by its owner, who also belongs to two workspaces with nothing in them, one as a member; and a server that is not set up. */
export async function stageScenes(): Promise<Stage> {
  const server = await startTestServer({ webhookAllowPrivate: true }, byHand)
  const { url, clock, database } = server
  const key = newKey()
  const members = people.map(([display_name, name, role]) => {
    const status = name === 'dora' ? ('disabled' as const) : ('active' as const)
    return { display_name, name, role, status, email: email(name), password }
  })
  const keys = [
    { name: 'build machine', member: email('ada'), scope: 'read' as const, key: newKey() },
    { name: 'ph on ada-laptop (device)', member: email('ada'), scope: 'write' as const, key },
  ]
  const oak = { slug: 'oak', name: 'Studio Oak', storage_limit_bytes: 11_000, members, keys }
  const film = { slug: 'film', name: 'The Film', state: 'read_only' as const, members: members.slice(0, 1) }
  const play = {
    slug: 'play',
    name: 'The Playhouse of Extraordinarily Long Names',
    members: [
      { email: email('zoe'), name: 'zoe', display_name: 'Zoe Zweig', role: 'owner' as const },
      { email: email('ada'), name: 'ada', display_name: 'Ada Lovelace', role: 'member' as const },
    ],
  }
  await provision(database, { workspaces: [oak, film, play] }, clock.now())
  const [{ entry_id } = {}] = await pushed(callAs(`${url}/w/oak`, key), props())
  const order = { target_project: 'Tavern of the Nine Lanterns', target_root: '/Game', entries: [{ entry_id }] }
  await callAs(`${url}/w/oak`, key).post('/pull-jobs', order)
  await stageAdministration(server, `${url}/w/oak`, key)
  await stageCheckOuts(server)
  clock.advance(3 * 3_600_000)
  const links = await stageLinks(server)
  const { setupAddress = '', url: emptyUrl } = await (await emptyServer()).start()
  const before = [...scenesBefore(`${url}/w/oak`), opening('setup', setupAddress), ...links]
  const scenes = [...before.map((scene) => ({ ...scene, isBefore: true as const })), ...scenesInside(server)]
  return { urls: [url, emptyUrl], scenes, signIn: (page) => signInTo(page, `${url}/w/oak`) }
}

/** Something on the denylist that is stored too, something that a sweep would remove, and a webhook that fails. */
async function stageAdministration({ ledger, clock, database: { sql } }: TestServer, url: string, key: string): Promise<void> {
  const ada = callAs(url, key)
  const [left, denied] = [item(), props()[0]]
  await upload(ada, [left])
  const [oak] = await sql<{ id: number }[]>`select id from workspaces where slug = 'oak'`
  await ledger.written(Number(oak?.id))
  const longAgo = new Date(clock.now().getTime() - 3 * 86_400_000).toISOString()
  await sql`update loose_files set loose_since = ${longAgo} where workspace_id = ${Number(oak?.id)}`
  await ada.post('/admin/denylist', { kind: 'content_hash', value: denied?.content_hash, note: 'licence ended' })
  await ada.post('/admin/denylist', { kind: 'package_guid', value: '1F8E4A0B4D3C2A1B9E8D7C6B5A493827' })
  const hook = await ada.post('/admin/webhooks', { url: 'https://127.0.0.1:9/hooks/props/of/studio-oak', active: false })
  await sql`
    insert into webhook_deliveries (workspace_id, webhook_id, event_id, event_type, attempt, status, last_error, created_at)
    values (${Number(oak?.id)}, ${hook.body.id}, 1, 'push.commit', 5, 'failed', 'It did not answer within 10 seconds.', ${longAgo})`
}

/** Dora, who is disabled, has one prop checked out, and Chidi has the others. */
async function stageCheckOuts({ clock, database: { sql } }: TestServer): Promise<void> {
  const [from, to] = [0, 5 * 86_400_000].map((ms) => new Date(clock.now().getTime() + ms).toISOString())
  await sql`
    insert into locks (workspace_id, lineage_id, holder_id, created_at, expires_at)
    select e.workspace_id, e.lineage_id, m.id, ${from ?? ''}, ${to ?? ''}
      from entries e
      join workspaces w on w.id = e.workspace_id and w.slug = 'oak'
      join members m on m.workspace_id = e.workspace_id and m.name = case e.name when 'SM_Barrel' then 'dora' else 'chidi' end`
}

/** Where links lead: to someone new, to who has an account with a password and without one, and to a new password. */
async function stageLinks({ url, clock, database: { sql } }: TestServer): Promise<Scene[]> {
  const rows = await sql<{ workspace_id: number; id: number; name: string; slug: string }[]>`
    select m.workspace_id, m.id, m.name, w.slug from members m join workspaces w on w.id = m.workspace_id`
  const [ada, bjorn, chidi] = ['ada', 'bjorn', 'chidi'].map((name) => rows.find((row) => row.slug === 'oak' && row.name === name))
  const workspaceId = Number(ada?.workspace_id)
  const [film, now] = [Number(rows.find((row) => row.slug === 'film')?.workspace_id), clock.now()]
  const asOwner = { workspaceId, by: { id: Number(ada?.id), role: 'owner' as const }, now }
  const asAdmin = { workspaceId, by: { id: Number(bjorn?.id), role: 'admin' as const }, now }
  const words = 'correct horse elsewhere'
  for (const [name, password] of [
    ['edda', words],
    ['finn', undefined],
  ] as const)
    await addPerson(sql, {
      workspaceId: film,
      email: email(name),
      name,
      displayName: name,
      role: 'member',
      now,
      ...(password && { password }),
    })
  const ask = (name: string, displayName: string, role: 'owner' | 'member' = 'member') =>
    invite(sql, { ...asOwner, email: email(name), name, displayName, role })
  await invite(sql, { ...asAdmin, email: 'late@studio-oak.test', name: 'late', displayName: 'Lars Late', role: 'member' })
  await sql`update invitations set expires_at = ${now.toISOString()} where name = 'late'`
  const at = (code: string) => `${url}/w/oak/invitation?code=${code}`
  const asked = at((await ask('edda', 'Edda Elsewhere')).code)
  return [
    opening('invitation', at((await ask('gina', 'Gina Giménez-Featherstonehaugh', 'owner')).code)),
    opening('invitation-account', asked),
    acting('invitation-account-wrong', asked, (page) => sendBy(page, 'Join Studio Oak', { new_password: 'short' })),
    opening('invitation-no-password', at((await ask('finn', 'Finn Forgotten')).code)),
    opening('new-password', at(await makePasswordLink(sql, { ...asOwner, personId: Number(chidi?.id) }))),
  ]
}

const longName = 'SM_Candelabra_WroughtIron_SevenBranches_Weathered_WithCandlesAndDrippingWax_LOD0'

const props = () =>
  ['SM_Barrel', 'SM_Lantern_Brass', 'T_OakPlanks_Normal', 'MI_Velvet_Curtain_Crimson', 'SK_Marionette', longName].map(
    (asset_name, index) =>
      item({
        asset_name,
        bytes: Buffer.alloc(1_500, `${index} ${asset_name} `),
        entry: { entry_type: 'mesh', name: asset_name },
      }),
  )

async function signInTo(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/sign-in`)
  await page.fill('#email', email('ada'))
  await page.fill('#password', password)
  await leadingOn(page, page.click('main button'))
}

/** What is done on a page, and the page that comes of it. */
const leadingOn = (page: Page, act: Promise<void>): Promise<unknown> => Promise.all([page.waitForEvent('load'), act])

const follow = (page: Page, name: string): Promise<unknown> => leadingOn(page, page.getByRole('link', { name }).first().click())

const opening = (name: string, address: string): Scene => ({ name, open: (page) => page.goto(address) })

/** A page, and what is done on it. */
const acting = (name: string, address: string, act: (page: Page) => Promise<unknown>): Scene => ({
  name,
  async open(page) {
    await page.goto(address)
    await act(page)
  },
})

const scenesBefore = (oak: string): Scene[] => [
  opening('sign-in', `${oak}/sign-in`),
  acting('sign-in-wrong', `${oak}/sign-in`, (page) => sendBy(page, 'Sign in', { email: 'ada@studio' })),
  acting('sign-in-refused', `${oak}/sign-in`, (page) => sendBy(page, 'Sign in', { email: email('ada'), password: 'wrong' })),
  opening('setup-done', `${new URL(oak).origin}/setup`),
  opening('invitation-dead', `${oak}/invitation?code=x`),
  opening('install', `${oak}/install`),
]

function scenesInside({ url, database: { sql } }: TestServer): Scene[] {
  const [oak, film, play] = [`${url}/w/oak`, `${url}/w/film`, `${url}/w/play`]
  return [
    {
      name: 'overview',
      async open(page) {
        await sql`update api_keys set last_used_at = null`
        await page.goto(`${oak}/`)
      },
    },
    opening('overview-empty', `${film}/`),
    opening('overview-member', `${play}/`),
    opening('members-member', `${play}/members`),
    opening('forbidden', `${play}/members/add`),
    opening('keys', `${oak}/keys`),
    opening('keys-empty', `${film}/keys`),
    acting('menus-open', `${oak}/keys`, openMenus),
    opening('key-new', `${oak}/keys/new`),
    acting('key-new-wrong', `${oak}/keys/new`, (page) => sendBy(page, 'Make the key')),
    acting('key-made', `${oak}/keys/new`, (page) => sendBy(page, 'Make the key', { name: 'render farm' })),
    acting('key-revoke', `${oak}/keys`, (page) => follow(page, 'Revoke')),
    opening('members', `${oak}/members`),
    opening('member-add', `${oak}/members/add`),
    acting('member', `${oak}/members`, (page) => follow(page, 'Change Björn')),
    acting('member-yourself', `${oak}/members`, (page) => follow(page, 'Change Ada')),
    acting('member-holding', `${oak}/members`, (page) => follow(page, 'Change Chidi')),
    acting('member-left', `${oak}/members`, (page) => follow(page, 'Change Dora')),
    acting('member-link', `${oak}/members`, async (page) => {
      await follow(page, 'Change Björn')
      await sendBy(page, 'Make a link')
    }),
    acting('invited', `${oak}/members`, (page) => follow(page, 'Open the invitation of Edda')),
    acting('invited-ended', `${oak}/members`, (page) => follow(page, 'Open the invitation of Lars')),
    acting('invited-link', `${oak}/members`, async (page) => {
      await follow(page, 'Open the invitation of Finn')
      await sendBy(page, 'Make a new link')
    }),
    opening('administration-empty', `${film}/administration`),
    opening('administration', `${oak}/administration`),
    acting('administration-looked', `${oak}/administration`, (page) => sendBy(page, 'Look what would go (Files)')),
    acting('administration-wrong', `${oak}/administration`, (page) =>
      sendBy(page, 'Add to the denylist', { value: 'SM_Barrel' }),
    ),
    acting('webhook', `${oak}/administration`, (page) => follow(page, 'Deliveries')),
    opening('workspace', `${oak}/workspace`),
    opening('workspace-read-only', `${film}/workspace`),
    opening('account', `${oak}/account`),
    opening('sign-out', `${oak}/sign-out`),
    opening('install-inside', `${oak}/install`),
    ...deviceScenes(oak),
    opening('missing', `${oak}/nothing-here`),
    opening('not-yours', `${url}/w/first/keys`),
    {
      name: 'overview-begun',
      async open(page) {
        await sql`update api_keys set last_used_at = created_at, last_client = 'ph/1.0.0'`
        await sql`update members set first_pull_at = first_push_at`
        await page.goto(`${oak}/`)
      },
    },
  ]
}

function deviceScenes(oak: string): Scene[] {
  /** Asked for at the address of the workspace, or at the bare one, which leaves the choice of the workspace to the person. */
  const deciding = (name: string, act: (page: Page) => Promise<unknown>, at = oak): Scene => ({
    name,
    async open(page) {
      const body = { client_name: 'ph on ada-laptop', scopes: 'write' }
      const answer = await ask(at, '/auth/device/code', { method: 'POST', body })
      await page.goto(`${oak}/device?code=${answer.body.user_code}`)
      await act(page)
    },
  })
  return [
    opening('device', `${oak}/device`),
    opening('device-unknown', `${oak}/device?code=BCDF-GHJK`),
    deciding('device-decide', async () => {}),
    deciding('device-undecided', (page) => sendBy(page, 'Approve'), new URL(oak).origin),
    deciding('device-approved', async (page) => {
      await page.getByRole('radio', { name: 'Studio Oak' }).check()
      await sendBy(page, 'Approve')
    }),
    deciding('device-denied', (page) => sendBy(page, 'Deny')),
  ]
}

async function openMenus(page: Page): Promise<void> {
  await page.locator('summary').last().click()
}

/** Fills in what is named, without the browser's own checks, and presses the button. */
async function sendBy(page: Page, button: string, fields: Record<string, string> = {}): Promise<void> {
  for (const [name, text] of Object.entries(fields)) await page.fill(`#${name}`, text)
  await page.evaluate('for (const form of document.forms) form.noValidate = true')
  await leadingOn(page, page.locator('main').getByRole('button', { name: button, exact: true }).click())
}
