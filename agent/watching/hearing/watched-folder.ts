/** The folder of a project while it is watched: it may go away, come back, or become another one under the same name. */
import { statSync } from 'node:fs'
import type { Heard } from '../../../client/project/kept-walk.ts'
import { diskKindOf } from '../../../system/disk-kind.ts'
import type { ToldEvents } from './told-events.ts'
import { TouchedFolders } from './touched-folders.ts'
import { type TreeListener, TreeWatch } from './tree-watch.ts'

type Listener = Omit<TreeListener, 'renewed' | 'overlooked' | 'told'>

export class WatchedFolder {
  readonly #root: string
  readonly #listener: Listener
  readonly #told: ToldEvents
  readonly #isThere: () => boolean
  #tree: TreeWatch | undefined
  #touched = new TouchedFolders()
  #endFloods = () => {}
  /** Device and inode of what is watched; undefined before the first look, null while it is gone. */
  #identity: string | null | undefined
  #refusal: string | undefined

  /** `isThere`: whether the folder is the project, and not what its disk left behind. */
  constructor(root: string, { told, isThere }: { told: ToldEvents; isThere: () => boolean }, listener: Listener) {
    this.#root = root
    this.#listener = listener
    this.#told = told
    this.#isThere = isThere
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
    const identity = this.#present()
    if (identity === this.#identity) return 'same'
    this.close()
    if (identity !== null) await this.#open()
    this.#identity = identity
    return identity === null ? 'gone' : 'opened'
  }

  #present = (): string | null => (this.#isThere() ? identityOf(this.#root) : null)

  /** A name for a walk of all of it that begins now; undefined where its folders are not surely heard of. */
  beginWalk = (): string | undefined => this.#touched.begin()

  /** It is kept. */
  walked(walk: string | undefined): void {
    this.#touched.walked(walk)
  }

  /** What of the last walk counts no more. Undefined where that is not sure. */
  async heard(): Promise<Heard | undefined> {
    const touched = this.#touched
    const isKnown = (await this.#told.areHeard()) && touched === this.#touched && this.#present() === this.#identity
    return isKnown ? touched.heard() : undefined
  }

  close(): void {
    this.#endFloods()
    this.#touched.turnBlind()
    this.#tree?.close()
    this.#tree = undefined
    this.#identity = undefined
  }

  async #open(): Promise<void> {
    this.#refusal = undefined
    const touched = new TouchedFolders()
    this.#touched = touched
    const missed = () => {
      touched.forget()
      this.#listener.missed()
    }
    this.#endFloods = this.#told.onFlood(missed)
    this.#tree = new TreeWatch(this.#root, {
      told: () => this.#told.count(),
      renewed: (folder) => touched.touchAll(folder),
      overlooked: () => touched.turnBlind(),
      touched: (file) => {
        touched.touch(file)
        this.#listener.touched(file)
      },
      missed,
      changedRules: () => {
        this.#identity = undefined
        this.#listener.changedRules()
      },
      refused: (why) => {
        touched.turnBlind()
        this.#refusal = `Changes are found by looking every minute, because ${why}.`
        this.#listener.refused(why)
      },
    })
    // Other machines may write there, of which this one hears nothing.
    if (diskKindOf(this.#root).reach !== 'local') touched.turnBlind()
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
