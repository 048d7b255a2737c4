/** The keys of the person who looks, in one workspace: listing, making, revoking. */
import { Type } from 'typebox'
import { limits } from '../../../contract/limits.ts'
import { oneOf, plainNamed } from '../../../contract/shapes.ts'
import { type Key, listKeys, mintKey, revokeKey } from '../../accounts/keys.ts'
import { addressOf } from '../addresses.ts'
import { type Answer, show } from '../answer.ts'
import { formCheck, type Returned, refused, returned } from '../form-check.ts'
import { PageFailure } from '../page-failure.ts'
import { KeyMadePage, type KeyRow, KeysPage, NewKeyPage, RevokeKeyPage } from '../views/keys.tsx'
import type { MemberVisit } from '../visit.ts'

const scopes = ['read', 'write'] as const

const problemsOf = formCheck(Type.Object({ name: plainNamed(limits.keys.name), scope: oneOf(scopes) }), {
  name: `Give the key a name of up to ${limits.keys.name} characters.`,
  scope: 'Choose what the key may do.',
})

export const keys = {
  async 'GET /keys'(visit: MemberVisit): Promise<Answer> {
    const { frame, now, browser, services } = visit
    await services.frontDoor.writeUses()
    return show(KeysPage, { frame, now, notice: browser.notice, keys: await ownKeys(visit) })
  },

  'GET /keys/new': (visit: MemberVisit): Answer => form(visit, { name: '', scope: 'write' }),

  /** Answers with the key itself: what is shown once must not be kept anywhere on the way to another page. */
  async 'POST /keys'(visit: MemberVisit): Promise<Answer> {
    const typed = { name: visit.field('name'), scope: visit.field('scope') as KeyRow['scope'] }
    const problems = problemsOf(typed)
    if (problems.length > 0) return form(visit, { ...typed, ...returned(problems) })
    // Who reloads the answer sends the form again: that makes no second key.
    if ((await ownKeys(visit)).some(({ name }) => name === typed.name)) return form(visit, { ...typed, ...nameTaken(typed.name) })
    visit.services.database.requireRoom()
    try {
      const { token } = await mintKey(visit.sql, { ...owner(visit), ...typed, now: visit.now })
      return show(KeyMadePage, { frame: visit.frame, name: typed.name, secret: token, address: addressOf(visit) })
    } catch (error) {
      return form(visit, { ...typed, ...refused(error, { CONFLICT: null }) })
    }
  },

  async 'GET /keys/:id/revoke'(visit: MemberVisit): Promise<Answer> {
    return show(RevokeKeyPage, { frame: visit.frame, now: visit.now, row: await requireKey(visit) })
  },

  async 'POST /keys/:id/revoke'(visit: MemberVisit): Promise<Answer> {
    const { id } = await requireKey(visit)
    await revokeKey(visit.sql, { ...owner(visit), keyId: id, now: visit.now })
    visit.browser.leaveNotice('key-revoked')
    return { to: visit.frame.at('/keys') }
  },
}

const owner = ({ membership: { workspace, person } }: MemberVisit) => ({ workspaceId: workspace.id, memberId: person.id })

const ownKeys = async (visit: MemberVisit): Promise<KeyRow[]> => (await listKeys(visit.sql, owner(visit))).map(toRow)

const toRow = ({ id, name, prefix, scope, created_at, last_used_at, last_client }: Key): KeyRow => ({
  id,
  name,
  prefix,
  scope,
  createdAt: created_at,
  lastUsedAt: last_used_at,
  lastClient: last_client,
})

async function requireKey(visit: MemberVisit): Promise<KeyRow> {
  const key = (await ownKeys(visit)).find(({ id }) => String(id) === visit.param('id'))
  if (key) return key
  throw new PageFailure(404, {
    title: 'No such key',
    message: 'None of your keys has this address. It may be revoked already.',
    link: { page: '/keys', words: 'See your keys' },
  })
}

const nameTaken = (name: string): Returned =>
  returned([{ field: 'name', message: `You have a key named “${name}” already. Choose another name, or revoke that one first.` }])

interface Typed extends Partial<Returned> {
  name: string
  scope: string
}

const form = ({ frame }: MemberVisit, { name, scope, problems = [], ...more }: Typed): Answer =>
  show(NewKeyPage, { frame, name, scope, problems }, more)
