/** The front door: version, key, workspace, rate, then scope, in this order (contract-gaps 1). */

import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { ratePolicy } from '../../contract/rate-policy.ts'
import { Refusal } from '../../serving/refusal.ts'
import { hashSecret, keyPattern } from '../accounts/secrets.ts'
import type { Clock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { Database } from '../database/open.ts'
import type { Holder, Workspace } from '../principal.ts'
import { readClientName, refuseOtherVersion } from './headers.ts'
import { KeyUses } from './key-uses.ts'
import type { Found, KeyLookup, Lookup } from './lookup.ts'
import { MemoryLookup } from './memory-lookup.ts'
import { type Budget, budgetOf, keysOfMember, type Limits, limitsOf } from './rate-limit.ts'
import { type EnteredBySession, enterBySession } from './session-entry.ts'
import { SharedLookup } from './shared-lookup.ts'
import { isWrite, refuseClosed } from './states.ts'
import { within } from './within.ts'

/** Who was let in: nobody in particular, the holder of a key, or someone signed in, with what they are in the addressed workspace. */
export type Entered = { holder?: Holder } & Partial<EnteredBySession>

export class FrontDoor {
  readonly #door: Lookup
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #uses: KeyUses
  readonly #database: Database

  constructor({ database, settings, clock }: { database: Database; settings: Settings; clock: Clock }) {
    this.#limits = limitsOf(settings)
    this.#door = openLookup(database, this.#limits)
    this.#clock = clock
    this.#uses = new KeyUses(database)
    this.#database = database
  }

  /** Throws a Refusal, or says who is asking: at once where that is in memory, because every request begins with this. */
  enter(request: FastifyRequest): Promise<Entered> | Entered {
    const { url, headers, workspaceSlug: slug } = request
    const { route } = request.routeOptions.config
    // Whatever context it came in: a request of a socket shows its key.
    const inside = request.raw.socket instanceof Socket ? undefined : within.getStore()
    if (inside) return this.#enterWithin(request, inside)
    refuseOtherVersion(url, headers['x-ph-api'])
    const key = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
    if (route?.scope === 'none') return this.enterOpenly(slug)
    if (key === undefined && (route?.scope === 'session' || route?.scope === 'signed-in')) {
      const addressed = () => this.#addressed(slug)
      return enterBySession(request, { sql: this.#database.sql, now: this.#clock.now(), addressed })
    }
    const now = this.#clock.now()
    const found = this.#find(key, { slug, budget: budgetOf(route, url), now })
    return found instanceof Promise ? found.then((one) => this.#judge(request, one, now)) : this.#judge(request, found, now)
  }

  /** What the key of a request may make in a minute, as its answer says it. */
  policyOf({ routeOptions, url }: FastifyRequest): string {
    const budget = budgetOf(routeOptions.config.route, url)
    return ratePolicy(budget, this.#limits[budget])
  }

  /** For addresses that need no key: pages, sign-in, and what else stands below `/w/<slug>`. */
  enterOpenly(slug: string | undefined): Promise<Entered> | Entered {
    return slug === undefined ? {} : this.#addressed(slug).then(() => ({}))
  }

  /** For what carries a workspace's number instead of a key, such as presigned addresses. */
  workspaceById(id: number): Promise<Workspace | undefined> {
    return this.#door.workspaceById(id)
  }

  /** Keys that are held in memory. */
  get rememberedKeys(): number {
    return this.#door.rememberedKeys
  }

  /** Writes down which keys were used through this server until now: pages that show it do this first. */
  writeUses(): Promise<void> {
    return this.#uses.write()
  }

  /** Writes uses of keys down, and lets go of old windows: now and then, and a last time when nobody comes any more. */
  async tidy(): Promise<void> {
    await this.writeUses()
    await this.#door.tidy()
  }

  close(): void {
    this.#door.close()
  }

  /** A request of the server's own for someone who is in: only its scope is left to judge. */
  #enterWithin(request: FastifyRequest, holder: Holder): Entered {
    request.caller = holder
    refuseReadKey(request, holder)
    return { holder }
  }

  /** Whether the holder of a key may come in. */
  #judge(request: FastifyRequest, found: Found, now: Date): Entered {
    const { headers, url, workspaceSlug: slug, routeOptions } = request
    const { route } = routeOptions.config
    const { holder } = found
    request.caller = holder
    this.#uses.note(holder, now, readClientName(headers['x-ph-client']))
    refuseOtherWorkspace(found, slug)
    if (route?.states !== 'all') refuseClosed(holder.workspace)
    this.#refuseTooMany(found, budgetOf(route, url))
    refuseReadKey(request, holder)
    if (route?.scope === 'session')
      throw new ApiError('FORBIDDEN', 'A key cannot make or revoke keys. Sign in on the dashboard for that.')
    return { holder }
  }

  #find(key: string | undefined, lookup: Omit<KeyLookup, 'keyHash'>): Promise<Found> | Found {
    if (key === undefined) throw new Refusal(401, 'This needs a key: send it as "Authorization: Bearer <key>".')
    if (!keyPattern.test(key)) throw nobody()
    const found = this.#door.find({ keyHash: hashSecret(key), ...lookup })
    return found instanceof Promise ? found.then(requireSomebody) : found
  }

  async #addressed(slug: string | undefined): Promise<Workspace> {
    const workspace = await this.#door.workspace(slug)
    if (!workspace) throw unknownWorkspace(slug)
    return workspace
  }

  #refuseTooMany({ wait: { ms, isOfMember } }: Found, budget: Budget): void {
    if (ms === 0) return
    const seconds = String(Math.max(1, Math.ceil(ms / 1000)))
    const limit = this.#limits[budget]
    const whose = isOfMember ? `The keys of this member made ${limit * keysOfMember}` : `This key made ${limit}`
    const message = `${whose} requests within a minute, as many as ${isOfMember ? 'they' : 'it'} may. Wait ${seconds} s.`
    throw new Refusal(429, message, { 'Retry-After': seconds })
  }
}

function refuseReadKey({ routeOptions, method }: FastifyRequest, { actor }: Holder): void {
  if (actor.scope === 'read' && isWrite(routeOptions.config.route ?? { method }))
    throw new Refusal(403, 'This key is read-only. Use a key with write scope.')
}

const nobody = () => new Refusal(401, 'This key is unknown or revoked, or its owner has left the workspace.')

function requireSomebody(found: Found | undefined): Found {
  if (!found) throw nobody()
  return found
}

/** Without `/w/<slug>` the address means the first workspace. */
function refuseOtherWorkspace({ holder, addressed }: Found, slug: string | undefined): void {
  if (!addressed) throw unknownWorkspace(slug)
  if (addressed.id !== holder.workspace.id)
    throw new Refusal(403, `This key belongs to another workspace than "${addressed.slug}". Use /w/${holder.workspace.slug}.`)
}

const unknownWorkspace = (slug: string | undefined): Refusal =>
  new Refusal(404, `There is no library "${slug ?? ''}" on this server. Check the address.`)

/** In memory where one process has the database to itself; else in the database, where all processes see it. */
const openLookup = (database: Database, limits: Limits): Lookup =>
  database.kind === 'embedded' ? new MemoryLookup(database, limits) : new SharedLookup(database, limits)
