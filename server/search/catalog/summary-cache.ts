/** Entries as the JSON that lists show, kept while nothing about them changes: reading and writing them is most of what a page costs. */

/** Some 25,000 entries, of one process, whatever the number of its catalogs. */
const mostBytes = 32 * 1024 * 1024
/** What a text takes besides its bytes. */
const overheadBytes = 200

/** Forgets the texts that were not asked for the longest. */
export class SharedTexts {
  readonly #mostBytes: number
  /** The one that was used last stands last. */
  readonly #texts = new Map<string, Buffer>()
  #bytes = 0
  #owners = 0

  constructor(most = mostBytes) {
    this.#mostBytes = most
  }

  /** Begins the keys of one catalog. Another catalog of the same workspace knows nothing of what this one kept. */
  nextOwner(): string {
    return `${++this.#owners}/`
  }

  find(key: string): Buffer | undefined {
    const text = this.#texts.get(key)
    if (!text) return undefined
    this.#texts.delete(key)
    this.#texts.set(key, text)
    return text
  }

  keep(key: string, text: Buffer): void {
    this.drop(key)
    this.#texts.set(key, text)
    this.#bytes += text.length + overheadBytes
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.#mostBytes) return
      this.drop(oldest)
    }
  }

  drop(key: string): void {
    const text = this.#texts.get(key)
    if (!text) return
    this.#texts.delete(key)
    this.#bytes -= text.length + overheadBytes
  }
}

const textsOfProcess = new SharedTexts()

/** The texts of one catalog's entries. */
export class SummaryCache {
  readonly #texts: SharedTexts
  readonly #owner: string
  /** Texts that were read while one was dropped may be older than what was dropped for. */
  #drops = 0

  constructor(texts = textsOfProcess) {
    this.#texts = texts
    this.#owner = texts.nextOwner()
  }

  /** The entry looks different from now on. */
  drop(id: number): void {
    this.#drops++
    this.#texts.drop(this.#owner + id)
  }

  /** The text of each id; those that `read` does not find are left out. `read` gives them as the database has them now. */
  async of<E extends { id: number }>(
    ids: readonly number[],
    read: (ids: number[]) => Promise<E[]>,
  ): Promise<Map<number, Buffer>> {
    const texts = new Map<number, Buffer>()
    const missing: number[] = []
    for (const id of ids) {
      const text = this.#texts.find(this.#owner + id)
      if (text) texts.set(id, text)
      else missing.push(id)
    }
    if (missing.length > 0) {
      const before = this.#drops
      for (const entry of await read(missing)) {
        const text = Buffer.from(JSON.stringify(entry))
        texts.set(entry.id, text)
        if (this.#drops === before) this.#texts.keep(this.#owner + entry.id, text)
      }
    }
    return texts
  }
}
