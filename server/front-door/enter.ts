/** The front door: version, key, workspace, rate, then scope, in this order (contract-gaps 1). */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { Database } from '../database/open.ts'
import type { Workspace } from '../handler.ts'
import { type Budget, budgetOf, type Limits, limitsOf } from './budgets.ts'
import { readClientName } from './client-name.ts'
import { type Door, type Found, openDoor } from './door.ts'
import { KeyUses } from './key-uses.ts'
import { type Holder, hashKey, keyPattern } from './keys.ts'
import { Refusal } from './refusal.ts'
import { type EnteredBySession, enterBySession } from './session-entry.ts'
import { isWrite, refuseClosed } from './states.ts'
import { refuseOtherVersion } from './version.ts'

/** Uses of keys are written down, and old windows let go of, so often. `last_used_at` may be a minute old (contract-gaps 1). */
const tidyMs = 30_000

/** Who was let in: nobody in particular, the holder of a key, or somebody signed in, with what they are in the addressed workspace. */
export type Entered = { holder?: Holder } & Partial<EnteredBySession>

export class FrontDoor {
  readonly #door: Door
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #uses: KeyUses
  readonly #database: Database

  constructor({ database, settings, clock }: { database: Database; settings: Settings; clock: Clock }) {
    this.#limits = limitsOf(settings)
    this.#door = openDoor(database, this.#limits)
    this.#clock = clock
    this.#uses = new KeyUses(database)
    this.#database = database
  }

  /** Throws a Refusal, or says who is asking. */
  async enter(request: FastifyRequest): Promise<Entered> {
    const { url, headers, workspaceSlug: slug } = request
    const { route } = request.routeOptions.config
    refuseOtherVersion(url, headers['x-ph-api'])
    const key = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
    if (route?.scope === 'none') {
      await this.requireWorkspace(slug)
      return {}
    }
    if (key === undefined && (route?.scope === 'session' || route?.scope === 'signed-in')) {
      const addressed = () => this.#addressed(slug)
      return enterBySession(request, { sql: this.#database.sql, now: this.#clock.now(), addressed })
    }
    return { holder: await this.#enterByKey(request, key) }
  }

  /** For addresses that need no key: pages, sign-in, and what else stands below `/w/<slug>`. */
  async requireWorkspace(slug: string | undefined): Promise<void> {
    if (slug !== undefined) await this.#addressed(slug)
  }

  /** For what carries a workspace's number instead of a key, such as presigned addresses. */
  workspaceById(id: number): Promise<Workspace | undefined> {
    return this.#door.workspaceById(id)
  }

  /** Keys that are held in memory. */
  get rememberedKeys(): number {
    return this.#door.rememberedKeys
  }

  /** Calls `tidy` now and then, until the function it answers is called; that one does it a last time. */
  keepTidy(failed: (error: unknown) => void): () => Promise<void> {
    const timer = setInterval(() => void this.tidy().catch(failed), tidyMs).unref()
    return async () => {
      clearInterval(timer)
      this.#door.close()
      await this.tidy().catch(failed)
    }
  }

  async tidy(): Promise<void> {
    await this.#uses.write()
    await this.#door.tidy(this.#clock.now())
  }

  async #enterByKey(
    { url, headers, workspaceSlug: slug, routeOptions, method }: FastifyRequest,
    key: string | undefined,
  ): Promise<Holder> {
    const { route } = routeOptions.config
    const [budget, now] = [budgetOf(route, url), this.#clock.now()]
    const found = await this.#find(key, { slug, budget, now })
    const { holder } = found
    this.#uses.note(holder, now, readClientName(headers['x-ph-client']))
    refuseOtherWorkspace(found, slug)
    if (route?.states !== 'all') refuseClosed(holder.workspace)
    this.#refuseTooMany(found, budget)
    if (holder.actor.scope === 'read' && isWrite(route ?? { method }))
      throw new Refusal(403, 'This key is read-only. Use a key with write scope.')
    if (route?.scope === 'session')
      throw new ApiError('FORBIDDEN', 'Keys neither make nor revoke keys. Sign in on the dashboard for that.')
    return holder
  }

  async #find(key: string | undefined, asked: { slug: string | undefined; budget: Budget; now: Date }): Promise<Found> {
    if (key === undefined) throw new Refusal(401, 'This needs a key: send it as "Authorization: Bearer <key>".')
    const found = keyPattern.test(key) ? await this.#door.find({ keyHash: hashKey(key), ...asked }) : undefined
    if (!found) throw new Refusal(401, 'This key is unknown or revoked, or its owner has left the workspace.')
    return found
  }

  async #addressed(slug: string | undefined): Promise<Workspace> {
    const workspace = await this.#door.workspace(slug)
    if (!workspace) throw unknownWorkspace(slug)
    return workspace
  }

  #refuseTooMany({ waitMs }: Found, budget: Budget): void {
    if (waitMs === 0) return
    const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)))
    const message = `This key made ${this.#limits[budget]} requests within a minute, as many as it may. Wait ${seconds} s.`
    throw new Refusal(429, message, { 'Retry-After': seconds })
  }
}

/** Without `/w/<slug>` the address means the first workspace. */
function refuseOtherWorkspace({ holder, addressed }: Found, slug: string | undefined): void {
  if (!addressed) throw unknownWorkspace(slug)
  if (addressed.id !== holder.workspace.id)
    throw new Refusal(403, `This key belongs to another workspace than "${addressed.slug}". Use /w/${holder.workspace.slug}.`)
}

const unknownWorkspace = (slug: string | undefined): Refusal =>
  new Refusal(404, `There is no library "${slug ?? ''}" on this server. Check the address.`)
