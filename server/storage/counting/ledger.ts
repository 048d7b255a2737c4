/** The files that came in and belong to nothing yet, written down in the database with what each workspace keeps (005-front-door.sql). */
import type { Database } from '../../database/open.ts'
import { readKey } from '../storage.ts'
import { type LooseFile, WorkspaceLedger } from './workspace-ledger.ts'

/** Each workspace has its own list and its own transactions: one whose row another server holds keeps no other waiting. */
export class Ledger {
  readonly #database: Database
  readonly #failed: (error: unknown) => void
  readonly #ledgers = new Map<number, WorkspaceLedger>()

  /** `failed` hears why files could not be written down; they are tried again with the next of their workspace. */
  constructor(database: Database, failed: (error: unknown) => void) {
    this.#database = database
    this.#failed = failed
  }

  /** To be written down soon. */
  note(file: LooseFile): void {
    this.#of(readKey(file.key).workspaceId).note(file)
  }

  /** Done when everything of the workspace that was noted before this call is written down; without a number, of all workspaces. */
  async written(workspaceId?: number): Promise<void> {
    const ledgers = workspaceId === undefined ? [...this.#ledgers.values()] : [this.#of(workspaceId)]
    await Promise.all(ledgers.map((ledger) => ledger.written()))
  }

  /** The files are no longer kept. */
  async removed(keys: readonly string[]): Promise<void> {
    const ofWorkspaces = Map.groupBy(keys, (key) => readKey(key).workspaceId)
    await Promise.all([...ofWorkspaces].map(([workspaceId, own]) => this.#of(workspaceId).removed(own)))
  }

  /** How many wait to be written down. */
  get waiting(): number {
    return this.#ledgers.values().reduce((sum, ledger) => sum + ledger.waiting, 0)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#ledgers.values()].map((ledger) => ledger.close()))
  }

  #of(workspaceId: number): WorkspaceLedger {
    const known = this.#ledgers.get(workspaceId)
    if (known) return known
    const made = new WorkspaceLedger(workspaceId, this.#database, this.#failed)
    this.#ledgers.set(workspaceId, made)
    return made
  }
}
