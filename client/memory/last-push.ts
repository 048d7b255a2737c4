/**
 * The last push of a project that registered something, in its memory: what `ph undo` takes back. Written commit by commit, so that a
 * push that was killed is known as far as the library acknowledged it. One push only: the next one takes its place.
 */
import type { StateFile } from './state-file.ts'

/** A version that the push made current; once for each lineage. */
export interface PushedVersion {
  lineageId: string
  objectId: number
  /** SHA-256 of its bytes: a library that was set back may have given its number to another version. Null where an older ph pushed it. */
  hash: string | null
  /** The version that was current before; null when the push began the lineage. */
  beforeObjectId: number | null
  /** Null for what is no entry of its own, such as a part of a level. */
  entryId: number | null
  /** Below the project's root. */
  file: string
  name: string
  /** What the entry was called before the push gave it the name of the file. */
  renamedFrom?: string | null
}

export interface PushRun {
  id: string
  /** ISO time. */
  begunAt: string
}

/** Told each time that the library has acknowledged something, with the push as it is remembered: one that goes on has begun before. */
export type TellRemembered = (push: { root: string; begunAt: string }) => void

/** What the library acknowledged of a push. */
export interface Acknowledged {
  versions: readonly PushedVersion[]
  /** Keys of commits; older libraries give none. */
  batchKeys: readonly string[]
}

interface LastRun extends PushRun {
  /** It came to its end: the next push is another one, and does not go on with it. */
  ended: boolean
}

const runKey = 'last_push'

export class LastPush {
  readonly #state: StateFile

  constructor(state: StateFile) {
    this.#state = state
  }

  /**
   * Adds what the library acknowledged. A push goes on with one that did not end; else what was remembered before it goes. Gives the push
   * as it is remembered, undefined where it has registered nothing yet: the one before it stays.
   */
  add(run: PushRun, { versions, batchKeys }: Acknowledged): PushRun | undefined {
    const { db } = this.#state
    return this.#state.write(() => {
      const last = this.#recall()
      if (versions.length === 0 && last?.id !== run.id) return undefined
      if (!last || (last.ended && last.id !== run.id)) this.#empty()
      const now = !last || last.ended ? { ...run, ended: false } : { ...last, id: run.id }
      this.#remember(now)
      const set = db.prepare(`
        insert into pushed (lineage_id, object_id, content_hash, before_object_id, entry_id, file, name)
        values (@lineageId, @objectId, @hash, @beforeObjectId, @entryId, @file, @name)
        on conflict (lineage_id) do update set object_id = excluded.object_id, content_hash = excluded.content_hash, entry_id = excluded.entry_id,
          file = excluded.file, name = excluded.name`)
      for (const version of versions) set.run(version)
      const setKey = db.prepare('insert or ignore into pushed_batch (batch_key) values (?)')
      for (const key of batchKeys) setKey.run(key)
      return now
    })
  }

  /** The push gave the entry another name. */
  setRenamed(lineageId: string, from: string): void {
    const set = this.#state.db.prepare('update pushed set renamed_from = coalesce(renamed_from, ?) where lineage_id = ?')
    this.#state.write(() => set.run(from, lineageId))
  }

  /** Nothing more belongs to this push. */
  end({ id }: Pick<PushRun, 'id'>): void {
    this.#state.write(() => {
      const last = this.#recall()
      if (last?.id === id) this.#remember({ ...last, ended: true })
    })
  }

  /** Undefined where no push of this project registered anything; without versions it is undone. Newest versions first. */
  read(): { run: LastRun; versions: PushedVersion[]; batchKeys: string[] } | undefined {
    return this.#state.guard(() => {
      const run = this.#recall()
      const query = `
        select lineage_id as lineageId, object_id as objectId, content_hash as hash, before_object_id as beforeObjectId,
               entry_id as entryId, file, name, renamed_from as renamedFrom
          from pushed order by object_id desc`
      const { db } = this.#state
      const batchKeys = db.prepare<[], string>('select batch_key from pushed_batch').pluck().all()
      return run && { run, versions: db.prepare<[], PushedVersion>(query).all(), batchKeys }
    })
  }

  /** All of it is undone. */
  clear(): void {
    this.#state.write(() => this.#empty())
  }

  /** It is undone. */
  drop(lineageId: string): void {
    this.#state.write(() => this.#state.db.prepare('delete from pushed where lineage_id = ?').run(lineageId))
  }

  #empty(): void {
    this.#state.db.exec('delete from pushed; delete from pushed_batch')
  }

  #recall(): LastRun | undefined {
    const value = this.#state.db.prepare('select value from remembered where key = ?').pluck().get(runKey)
    return typeof value === 'string' ? (JSON.parse(value) as LastRun) : undefined
  }

  #remember(run: LastRun): void {
    this.#state.db.prepare('insert or replace into remembered (key, value) values (?, ?)').run(runKey, JSON.stringify(run))
  }
}
