/** Every page: its address, who may see it, and the file that answers, which is loaded with its first request. */

import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Services } from '../services.ts'
import type { PageHandler, Rank } from './admission.ts'
import { stylesheet } from './stylesheet.ts'
import type { MemberVisit, PersonVisit, Visit } from './visit.ts'

/** `GET /keys/:id/revoke` */
type Address = `${'GET' | 'POST'} /${string}`

interface Part {
  rank: Rank
  addresses: readonly Address[]
  load: () => Promise<Record<string, PageHandler<never>>>
}

/** Handlers that a file lacks, or that take more than the rank gives, do not compile. */
const part =
  <V extends Visit>(rank: Rank) =>
  <const A extends Address>(addresses: readonly A[], load: () => Promise<Record<A, PageHandler<V>>>): Part => ({
    rank,
    addresses,
    load,
  })

const forAnybody = part<Visit>('anybody')
const forPeople = part<PersonVisit>('person')
const forMembers = part<MemberVisit>('member')
const forAdmins = part<MemberVisit>('admin')

const site: readonly Part[] = [
  forMembers(['GET /'], async () => (await import('./pages/home.ts')).home),
  forAnybody(['GET /setup', 'POST /setup'], async () => (await import('./pages/setup.ts')).setup),
  forAnybody(['GET /sign-in', 'POST /sign-in'], async () => (await import('./pages/sign-in.ts')).signInPages),
  forPeople(['GET /sign-out', 'POST /sign-out'], async () => (await import('./pages/sign-in.ts')).signOutPages),
  forPeople(['GET /device', 'POST /device'], async () => (await import('./pages/device.ts')).device),
  forMembers(
    ['GET /keys', 'GET /keys/new', 'POST /keys', 'GET /keys/:id/revoke', 'POST /keys/:id/revoke'],
    async () => (await import('./pages/keys.ts')).keys,
  ),
  forMembers(['GET /members'], async () => (await import('./pages/members.ts')).members),
  forAdmins(
    [
      'GET /members/add',
      'POST /members',
      'GET /members/invitations/:id',
      'POST /members/invitations/:id/link',
      'POST /members/invitations/:id/withdraw',
    ],
    async () => (await import('./pages/invited.ts')).invited,
  ),
  forAdmins(
    [
      'GET /members/:id',
      'POST /members/:id/role',
      'POST /members/:id/status',
      'POST /members/:id/release',
      'POST /members/:id/link',
    ],
    async () => (await import('./pages/members.ts')).memberChanges,
  ),
  forAnybody(['GET /invitation', 'POST /invitation'], async () => (await import('./pages/invitation.ts')).invitation),
  forMembers(['GET /workspace'], async () => (await import('./pages/workspace.ts')).workspace),
  forAdmins(
    [
      'GET /administration',
      'POST /administration/denylist',
      'POST /administration/denylist/:id/remove',
      'POST /administration/sweeps',
      'GET /administration/webhooks/:id',
    ],
    async () => (await import('./pages/administration.ts')).administration,
  ),
  forAnybody(['GET /install'], async () => (await import('./pages/install.ts')).install),
  forPeople(['GET /account', 'POST /account'], async () => (await import('./pages/account.ts')).account),
]

/** For tests that go through all of them. */
export const pageAddresses: readonly { address: Address; rank: Rank }[] = site.flatMap(({ rank, addresses }) =>
  addresses.map((address) => ({ address, rank })),
)

/** More than the largest form. */
const formBytes = 32 * 1024

export async function mountSite(pages: FastifyInstance, services: Services): Promise<void> {
  // React looks at this when it is loaded, with the first page; without it every element is made ten times as slowly.
  process.env.NODE_ENV ??= 'production'
  pages.removeAllContentTypeParsers()
  await pages.register(formbody, { bodyLimit: formBytes })
  for (const one of site) for (const address of one.addresses) mountPage(pages, services, { ...one, address })
  mountLooks(pages)
}

function mountPage(pages: FastifyInstance, services: Services, { rank, address, load }: Part & { address: Address }): void {
  const [method = 'GET', url = '/'] = address.split(' ')
  pages.route({
    method,
    url,
    config: { isPage: true },
    handler: async (request, reply) => {
      const [{ admit }, handlers] = await Promise.all([import('./admission.ts'), load()])
      const handler = handlers[address]
      if (!handler) throw new Error(`the page ${address} has no handler`)
      return admit({ request, reply, services, rank, handler })
    },
  })
}

/** What every page loads; the addresses of stylesheet and fonts change with what they hold. */
function mountLooks(app: FastifyInstance): void {
  app.get('/pages.css', async (_request, reply) => look(reply, 'text/css; charset=utf-8', forGood).send(stylesheet().text))
  for (const [name, font] of stylesheet().fonts)
    app.get(`/fonts/${name}`, async (_request, reply) => look(reply, 'font/woff2', forGood).send(font))
  app.get('/mark.svg', async (_request, reply) => {
    const { markIcon } = await import('./mark-icon.ts')
    return look(reply, 'image/svg+xml', forADay).send(markIcon())
  })
}

const forGood = 'public, max-age=31536000, immutable'
const forADay = 'public, max-age=86400'

const look = (reply: FastifyReply, type: string, kept: string): FastifyReply =>
  reply
    .type(type)
    .header('Cache-Control', kept)
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "default-src 'none'")
    .header('Cross-Origin-Resource-Policy', 'same-origin')
