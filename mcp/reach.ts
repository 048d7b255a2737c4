/** The library for an assistant on a person's machine: the server, or the mirror on this machine while the server is away. */
import { readFile } from 'node:fs/promises'
import { ClientError, type ClientErrorCode, clientErrors } from '../client/client-error.ts'
import { type Api, createApi } from '../client/http/api.ts'
import { bodyOf } from '../client/http/body.ts'
import { Http } from '../client/http/http.ts'
import type { Wire } from '../client/http/open-http.ts'
import type { Mirror } from '../client/mirror/mirror.ts'
import type { Reached } from './protocol/assistant.ts'
import { smallThumbnail, type Thumbnail } from './protocol/pictures.ts'
import { fixed, own } from './tools/said.ts'
import type { Rights } from './tools/selection.ts'
import type { Ask, Fields } from './tools/tool.ts'

/** An assistant waits for its answer: it is told soon that the server is away. */
const retryForMs = 3000
/** So long a server that was away is not asked again. */
const awayMs = 15_000
/** So long an answer waits for each of its pictures. */
const pictureMs = 5000

export type SignedWire = Wire & { key: string }

export class Reach {
  readonly #wire: SignedWire
  readonly #http: Http
  readonly api: Api
  readonly #now: () => Date
  #mirror: Promise<Mirror | undefined> | undefined
  #rights: Rights | undefined
  #awayUntilMs = 0

  constructor(wire: SignedWire, now: () => Date) {
    this.#wire = wire
    this.#http = new Http({ ...wire, retryForMs })
    this.api = createApi(this.#http)
    this.#now = now
  }

  /** For one call, which says by its notices whether the mirror answered any of it. */
  library(): Reached {
    let asOf: Date | undefined
    const ask = async (noun: string, verb: string, input?: Fields): Promise<unknown> => {
      try {
        return await this.#online(noun, verb, input)
      } catch (error) {
        if (!isAway(error)) throw error
        const mirror = await this.#mirrorHere()
        if (!mirror) throw error
        if (this.#now().getTime() >= this.#awayUntilMs) this.#awayUntilMs = this.#now().getTime() + awayMs
        const { offlineApi } = await import('../client/mirror/offline-api.ts')
        const answer = await callOf(
          offlineApi(mirror, () => this.#now().getTime()),
          noun,
          verb,
        )(input)
        asOf = new Date(mirror.syncedAt ?? 0)
        return answer
      }
    }
    return {
      ask: ask as Ask,
      thumbnails: (entryIds) => this.#thumbnails(entryIds),
      notices: () => (asOf ? [own`The server is away. This is what the mirror on this machine knew at ${asOf}.`] : []),
      meta: () => (asOf ? { 'prop-house/offline': { as_of: asOf.toISOString() } } : {}),
      nextOf: (code) => (isClientError(code) ? fixed(clientErrors[code][1]) : undefined),
    }
  }

  /** What the key can do, asked once; while the server is away nothing can be written. */
  async rights(): Promise<Rights> {
    if (this.#rights) return this.#rights
    try {
      const { scope, user } = await this.api.identity.me()
      this.#rights = { scope, isAdmin: user.role === 'admin' }
      return this.#rights
    } catch (error) {
      if (isAway(error)) return { scope: 'read', isAdmin: false }
      throw error
    }
  }

  async close(): Promise<void> {
    ;(await this.#mirror)?.close()
    await this.#http.close('destroy')
  }

  async #online(noun: string, verb: string, input: Fields | undefined): Promise<unknown> {
    if (this.#isAway()) throw wasAway()
    return callOf(this.api, noun, verb)(input && withBody(input))
  }

  /** Of entries that are gone, or have none, there is none. The mirror has those that were looked at before. */
  async #thumbnail(entryId: number): Promise<Uint8Array | undefined> {
    const { fetchThumbnail, Thumbnails } = await import('../client/mirror/thumbnails.ts')
    try {
      if (this.#isAway()) throw wasAway()
      return await fetchThumbnail({ api: this.api, http: this.#http }, entryId, AbortSignal.timeout(pictureMs))
    } catch (error) {
      const mirror = isAway(error) ? await this.#mirrorHere() : undefined
      if (!mirror) return undefined
      const file = await new Thumbnails(mirror, this.#wire.folders).of(entryId).catch(() => undefined)
      return file === undefined ? undefined : readFile(file)
    }
  }

  async #thumbnails(entryIds: readonly number[]): Promise<Map<number, Thumbnail>> {
    const small = async (id: number) => {
      const bytes = await this.#thumbnail(id)
      return bytes ? [[id, await smallThumbnail(async () => bytes)] as const] : []
    }
    return new Map((await Promise.all(entryIds.map(small))).flat())
  }

  #isAway = (): boolean => this.#now().getTime() < this.#awayUntilMs

  #mirrorHere(): Promise<Mirror | undefined> {
    this.#mirror ??= this.#openMirror()
    return this.#mirror
  }

  /** Loaded when the server is away: it takes longer than an answer of the server. Undefined where there is none yet. */
  async #openMirror(): Promise<Mirror | undefined> {
    const { hasMirror, openMirror } = await import('../client/mirror/mirror.ts')
    const { folders, url } = this.#wire
    if (hasMirror(folders, url)) return openMirror(folders, url)
    this.#mirror = undefined
    return undefined
  }
}

const wasAway = () => new ClientError('UNREACHABLE', 'The server was away a moment ago.')

/** Tools give bytes as they are; over HTTP they may be sent more than once. */
const withBody = ({ bytes, ...input }: Fields): Fields =>
  bytes instanceof Uint8Array ? { ...input, bytes: bodyOf(bytes) } : { ...input, ...(bytes === undefined ? {} : { bytes }) }

const isClientError = (code: string): code is ClientErrorCode => Object.hasOwn(clientErrors, code)

const isAway = (error: unknown): boolean => error instanceof ClientError && error.code === 'UNREACHABLE'

const callOf = (api: Api, noun: string, verb: string) =>
  (api as unknown as Record<string, Record<string, (input?: Fields) => Promise<unknown>>>)[noun]?.[verb] as (
    input?: Fields,
  ) => Promise<unknown>
