/** The folder of a project while it is watched: it may go away, come back, or become another one under the same name. */
import { statSync } from 'node:fs'
import { type TreeListener, TreeWatch } from './tree-watch.ts'

export class WatchedFolder {
  readonly #root: string
  readonly #listener: TreeListener
  #tree: TreeWatch | undefined
  /** Device and inode of what is watched; undefined before the first look, null while it is gone. */
  #identity: string | null | undefined
  #refusal: string | undefined

  constructor(root: string, listener: TreeListener) {
    this.#root = root
    this.#listener = listener
  }

  get isGone(): boolean {
    return this.#identity === null
  }

  /** Why the system does not tell of changes. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /** Watches it where it is new. */
  async find(): Promise<'same' | 'opened' | 'gone'> {
    const identity = identityOf(this.#root)
    if (identity === this.#identity) return 'same'
    this.close()
    if (identity !== null) await this.#open()
    this.#identity = identity
    return identity === null ? 'gone' : 'opened'
  }

  close(): void {
    this.#tree?.close()
    this.#tree = undefined
    this.#identity = undefined
  }

  async #open(): Promise<void> {
    this.#refusal = undefined
    this.#tree = new TreeWatch(this.#root, {
      ...this.#listener,
      changedRules: () => {
        this.#identity = undefined
        this.#listener.changedRules()
      },
      refused: (why) => {
        this.#refusal = `Changes are found by looking every minute, because ${why}.`
        this.#listener.refused(why)
      },
    })
    await this.#tree.open()
  }
}

/** Null where none is there; also where its disk does not answer. */
function identityOf(root: string): string | null {
  try {
    const stats = statSync(root, { bigint: true })
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}` : null
  } catch {
    return null
  }
}
