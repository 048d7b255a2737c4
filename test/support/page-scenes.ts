/** Every page in every shape that people meet, with a lively workspace behind it: for what is asked of all of them. */
import type { Page } from 'playwright-core'
import { invite } from '../../server/accounts/invitations.ts'
import { provision } from '../../server/provision.ts'
import { callAs } from './api.ts'
import { ask } from './browser.ts'
import { emptyServer } from './empty-server.ts'
import { item, pushed } from './push.ts'
import { newKey, startTestServer } from './server.ts'

export interface Scene {
  name: string
  /** Seen by whoever has not signed in. */
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

/** Studio Oak, seen by its owner, who also belongs to a workspace with nothing in it; and a server that is not set up. */
export async function stageScenes(): Promise<Stage> {
  const server = await startTestServer()
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
  const oak = { slug: 'oak', name: 'Studio Oak', storage_limit_bytes: 9_000, members, keys }
  const film = { slug: 'film', name: 'The Film', state: 'read_only' as const, members: members.slice(0, 1) }
  await provision(database, { workspaces: [oak, film] }, clock.now())
  await pushed(callAs(`${url}/w/oak`, key), props())
  clock.advance(3 * 3_600_000)
  const [chidi] = await database.sql<
    { workspace_id: number; id: number }[]
  >`select workspace_id, id from members where name = 'chidi'`
  const inviting = {
    workspaceId: Number(chidi?.workspace_id),
    personId: Number(chidi?.id),
    by: undefined,
    now: clock.now(),
  }
  const link = `${url}/w/oak/invitation?code=${await invite(database.sql, inviting)}`
  const { setupAddress = '', url: emptyUrl } = await (await emptyServer()).start()
  const before = [...scenesBefore(`${url}/w/oak`), opening('setup', setupAddress), opening('invitation', link)]
  const scenes = [...before.map((scene) => ({ ...scene, isBefore: true as const })), ...scenesInside(url)]
  return { urls: [url, emptyUrl], scenes, signIn: (page) => signInTo(page, `${url}/w/oak`) }
}

const props = () =>
  ['SM_Barrel', 'SM_Lantern_Brass', 'T_OakPlanks_Normal', 'MI_Velvet_Curtain_Crimson', 'SK_Marionette'].map((asset_name, index) =>
    item({ asset_name, bytes: Buffer.alloc(1_500, `${index} ${asset_name} `), entry: { entry_type: 'mesh', name: asset_name } }),
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
  opening('invitation-dead', `${oak}/invitation?code=x`),
]

function scenesInside(url: string): Scene[] {
  const [oak, film] = [`${url}/w/oak`, `${url}/w/film`]
  return [
    opening('overview', `${oak}/`),
    opening('overview-empty', `${film}/`),
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
    acting('member-link', `${oak}/members`, async (page) => {
      await follow(page, 'Change Björn')
      await sendBy(page, 'Make a link')
    }),
    opening('workspace', `${oak}/workspace`),
    opening('workspace-read-only', `${film}/workspace`),
    opening('account', `${oak}/account`),
    opening('sign-out', `${oak}/sign-out`),
    ...deviceScenes(oak),
    opening('missing', `${oak}/nothing-here`),
    opening('not-yours', `${url}/w/first/keys`),
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
