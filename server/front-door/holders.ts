/** Holders and workspaces kept in memory, where one process has the database to itself; forgotten when they change. */

import { onAccessChange, type Whom } from '../accounts/access-changes.ts'
import type { Database } from '../database/open.ts'
import type { Holder } from '../principal.ts'
import { allWorkspaces, type Directory } from '../rows/workspace.ts'
import { selectHolder, toHolder } from './keys.ts'

/** Holders kept at once, some 20 MiB of them; of more, those that came first are asked for again. */
const mostHolders = 20_000

export class HolderMemory {
  readonly #database: Database
  readonly #stopListening: () => void
  readonly #holders = new Map<string, Holder>()
  /** Look-ups under way, so that many first requests with one key ask once. */
  readonly #pending = new Map<string, Promise<Holder | undefined>>()
  #directory: Directory | undefined
  #pendingDirectory: Promise<Directory> | undefined
  /** Counts changes: a look-up that began before the last change may be outdated, and is not kept. */
  #time = 0

  constructor(database: Database) {
    this.#database = database
    this.#stopListening = onAccessChange((whom) => this.forget(whom))
  }

  close(): void {
    this.#stopListening()
  }

  get size(): number {
    return this.#holders.size
  }

  /** What is remembered of a key; nothing is remembered of unknown ones. */
  holder(keyHash: string): Holder | undefined {
    return this.#holders.get(keyHash)
  }

  findHolder(keyHash: string): Promise<Holder | undefined> {
    const pending = this.#pending.get(keyHash)
    if (pending) return pending
    const asking = this.#ask(keyHash).finally(() => {
      if (this.#pending.get(keyHash) === asking) this.#pending.delete(keyHash)
    })
    this.#pending.set(keyHash, asking)
    return asking
  }

  workspaces(): Promise<Directory> | Directory {
    if (this.#directory) return this.#directory
    this.#pendingDirectory ??= this.#readDirectory()
    return this.#pendingDirectory
  }

  forget(whom: Whom): void {
    this.#time++
    this.#pending.clear()
    this.#directory = undefined
    this.#pendingDirectory = undefined
    for (const [keyHash, holder] of this.#holders) if (isMeant(holder, whom)) this.#holders.delete(keyHash)
  }

  async #ask(keyHash: string): Promise<Holder | undefined> {
    const time = this.#time
    const [row] = await selectHolder(this.#database.sql, keyHash)
    const holder = row && toHolder(row)
    if (holder && time === this.#time) this.#keep(keyHash, holder)
    return holder
  }

  async #readDirectory(): Promise<Directory> {
    const time = this.#time
    try {
      const directory = await allWorkspaces(this.#database.sql)
      if (time === this.#time) this.#directory = directory
      return directory
    } finally {
      if (time === this.#time) this.#pendingDirectory = undefined
    }
  }

  #keep(keyHash: string, holder: Holder): void {
    this.#holders.set(keyHash, holder)
    const [oldest] = this.#holders.size > mostHolders ? this.#holders.keys() : []
    if (oldest !== undefined) this.#holders.delete(oldest)
  }
}

const isMeant = ({ actor, workspace }: Holder, { workspaceId, memberId, keyId }: Whom): boolean =>
  (workspaceId ?? workspace.id) === workspace.id && (memberId ?? actor.id) === actor.id && (keyId ?? actor.keyId) === actor.keyId
