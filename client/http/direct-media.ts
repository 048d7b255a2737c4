/** Media through presigned addresses (spec 4.9): addresses for many at once, a file to each, and all of them put to use. */

import { limits } from '../../contract/limits.ts'
import type { MediaKind, PresignedTarget } from '../../contract/media.ts'
import type { Api } from './api.ts'
import type { Bytes } from './body.ts'
import type { Http } from './http.ts'

/** What a file is for: one kind of media of one version. */
export interface MediaPlace {
  entry_id: number
  object_id: number
  kind: MediaKind
  /** Of the file, in bytes: the address takes no other. */
  size?: number
}

/** Fewer are sent by a call each: presigning and finalizing are two calls more. */
export const fewestPresigned = 4
/** The store took these bytes before, and the answer was lost: as good as sent. */
export const alreadyThere = 412

interface DirectMediaParts {
  http: Http
  api: Api
  signal?: AbortSignal | undefined
  /** Whether a refusal of several may be for one of them, so that the others are worth asking for without it. */
  mayBeOfOne: (error: unknown) => boolean
}

export class DirectMedia {
  readonly #parts: DirectMediaParts
  #isOffered = true

  constructor(parts: DirectMediaParts) {
    this.#parts = parts
  }

  /**
   * An address for each, in the same order. Undefined for few, where the server offers none, and where one of a thousand is refused, as a
   * version that is no longer current is: each of these is sent by a call of its own. Throws what concerns more than one of them.
   */
  async presign(places: readonly MediaPlace[]): Promise<(PresignedTarget | undefined)[]> {
    const targets: (PresignedTarget | undefined)[] = []
    for (const part of parted(places)) targets.push(...((await this.#presign(part)) ?? part.map(() => undefined)))
    return targets
  }

  async #presign(items: readonly MediaPlace[]): Promise<PresignedTarget[] | undefined> {
    if (!this.#isOffered || items.length < fewestPresigned) return undefined
    try {
      const { targets } = await this.#parts.api.media.presign({ items: [...items] })
      this.#isOffered = targets !== undefined
      return targets?.length === items.length ? targets : undefined
    } catch (error) {
      if (this.#parts.mayBeOfOne(error)) return undefined
      throw error
    }
  }

  /** Throws what the store says. */
  async store({ upload_url: url, headers }: PresignedTarget, bytes: Bytes): Promise<void> {
    const { http, signal } = this.#parts
    await http.store({ url, method: 'PUT', headers, bytes, accept: [alreadyThere], signal })
  }

  /** Puts to use what was stored. Gives what was refused, with the error of each: one that is refused does not fail the others. */
  async finalize(stored: readonly PresignedTarget[]): Promise<Map<PresignedTarget, unknown>> {
    const refused = new Map<PresignedTarget, unknown>()
    for (const part of parted(stored)) await this.#finalize(part, refused)
    return refused
  }

  async #finalize(stored: readonly PresignedTarget[], refused: Map<PresignedTarget, unknown>): Promise<void> {
    const items = stored.map(({ artifact_id, entry_id, object_id, kind }) => ({ artifact_id, entry_id, object_id, kind }))
    try {
      await this.#parts.api.media.finalize({ items })
    } catch (error) {
      if (stored.length === 1 || !this.#parts.mayBeOfOne(error)) {
        for (const target of stored) refused.set(target, error)
        return
      }
      // By halves: one of a thousand is found with some twenty calls.
      const half = Math.ceil(stored.length / 2)
      await this.#finalize(stored.slice(0, half), refused)
      await this.#finalize(stored.slice(half), refused)
    }
  }
}

/** As many as one call takes. */
const parted = <One>(all: readonly One[]): One[][] =>
  Array.from({ length: Math.ceil(all.length / limits.mediaPresign.items) }, (_, at) =>
    all.slice(at * limits.mediaPresign.items, (at + 1) * limits.mediaPresign.items),
  )
