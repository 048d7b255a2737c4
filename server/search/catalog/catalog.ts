/** The catalog index of one workspace: what questions look at of every entry, in the memory of this process (design.md 3). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { sorts } from '../../../contract/entries.ts'
import { nameKey } from '../../../contract/names.ts'
import type { CatalogRow } from '../../rows/catalog-row.ts'
import type { Vectors } from '../looks/vectors.ts'
import { WordIndex } from '../words/word-index.ts'
import { Columns, type Measured } from './columns.ts'
import { Leaves } from './leaves.ts'
import { Names } from './names.ts'
import { NumberKey } from './number-key.ts'
import { Order, type SortKey } from './orders.ts'
import { RowNumbers } from './row-numbers.ts'
import { SummaryCache } from './summary-cache.ts'
import { TagLists } from './tag-lists.ts'
import { ValueCodes } from './value-codes.ts'

/** What entries can be sorted by but for relevance, which is of each question. */
export type SortName = Exclude<(typeof sorts)[number], 'relevance'>

const measures: Record<Exclude<SortName, 'name'>, Measured> = {
  date_indexed: 'dateIndexed',
  date_updated: 'dateUpdated',
  blob_size: 'blobSize',
  tri_count: 'tri',
}

export interface TagLabel {
  name: string
  /** The name as it is compared. */
  key: string
  color: string | null
}

/** The first entries that are pushed after a catalog was built do not make all of it move. */
const withRoom = (entries: number): number => Math.ceil(entries * 1.125) + 16

export class Catalog {
  /** The number of the last change that is in it. */
  head: number
  /** The same of changes of what is said about entries, which are numbered by themselves. */
  commentHead = 0
  /** How often something in it changed: what was found before the last change is not to be used. */
  changes = 0
  readonly entries = new RowNumbers()
  readonly names = new Names()
  readonly columns = new Columns()
  readonly leaves = new Leaves(this.names)
  /** Ids by code; 0 stands for no tag. */
  readonly tags = new ValueCodes<number>([0])
  readonly tagLists = new TagLists()
  /** By code. */
  readonly tagLabels: TagLabel[] = []
  readonly packNames: string[] = []
  readonly words = new WordIndex()
  /** How entries look, once a search asked for that (load-looks.ts). */
  looks: Vectors | undefined
  /** What lists say of entries that were shown lately. */
  readonly texts = new SummaryCache()
  /** How many rows questions leave, by what they ask, since the last change. */
  readonly totals = new Map<string, number>()
  readonly #orders = new Map<SortName, Order>()
  #areWordsSettled = false
  #room = 0
  #last: Promise<unknown> = Promise.resolve()

  /** For so many entries; more are taken too. */
  constructor(head: number, entries: number) {
    this.head = head
    this.#reserve(withRoom(entries))
  }

  /** How much memory it takes, roughly counted in entries: a look takes as much as all the rest of one. */
  get size(): number {
    return this.#room + (this.looks?.count ?? 0)
  }

  /** The labels of its tags and its pack come first. `comments`: what is said about it. */
  set(entry: CatalogRow, comments: readonly string[] = []): void {
    const known = this.entries.find(entry.id)
    if (known !== undefined) this.texts.drop(entry.id)
    this.#changed()
    const row = known ?? this.entries.take(entry.id)
    if (row >= this.#room) this.#reserve(withRoom(row))
    const settle = known === undefined ? () => this.#move(row) : this.#watch(row)
    this.names.set(row, entry.name)
    this.columns.set(row, entry)
    this.leaves.set(row, entry)
    const tags = (entry.tag_ids ?? []).map((id) => this.tags.code(id))
    this.tagLists.set(row, tags)
    this.words.set(row, {
      name: entry.name,
      otherNames: entry.other_names ?? [],
      category: entry.category,
      tags: tags.map((code) => this.tagLabels[code]?.name ?? ''),
      pack: this.packName(entry.pack_id) ?? '',
      comments,
    })
    settle()
  }

  remove(id: number): void {
    const row = this.entries.find(id)
    if (row === undefined) return
    this.texts.drop(id)
    this.#changed()
    this.entries.release(row)
    this.names.set(row, '')
    this.columns.clear(row)
    this.leaves.set(row, { name: '', path_key: null })
    this.tagLists.set(row, [])
    this.words.remove(row)
    this.looks?.remove(row)
    this.looks?.newer?.add(row)
    this.#move(row)
  }

  packName(id: number): string | undefined {
    return this.packNames[this.columns.dictionaries.pack.find(id) ?? -1]
  }

  tagLabel(id: number): TagLabel | undefined {
    return this.tagLabels[this.tags.find(id) ?? -1]
  }

  labelPack(id: number, name: string): void {
    this.packNames[this.columns.dictionaries.pack.code(id)] = name
  }

  labelTag(id: number, { name, color }: { name: string; color: string | null }): void {
    this.tagLabels[this.tags.code(id)] = { name, key: nameKey(name), color }
  }

  /** Waits until the order is there; `order` then gives it at once. */
  async prepare(sort: SortName): Promise<void> {
    if (this.#orders.has(sort)) return
    await this.inQueue(async () => {
      if (this.#orders.has(sort)) return
      const rows = Uint32Array.from({ length: this.entries.end }, (_, row) => row).filter((row) => this.entries.ids[row] !== 0)
      const key = sort === 'name' ? this.names : new NumberKey(this.columns, measures[sort])
      this.#orders.set(sort, await Order.of<string | number>(rows, key as SortKey<string | number>, this.entries))
    })
  }

  /** Waits until words can be asked for at once. */
  async prepareWords(): Promise<void> {
    if (this.#areWordsSettled) return
    await this.inQueue(async () => {
      for (const _ of this.words.settle()) await nextTurn()
      this.#areWordsSettled = true
    })
  }

  /** As it is now; good until the next turn of the event loop. */
  order(sort: SortName): Order {
    const order = this.#orders.get(sort)
    if (!order) throw new Error(`the order by ${sort} was not prepared`)
    order.repair()
    return order
  }

  /** Changes of entries, and the making of orders, wait for each other. */
  inQueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  #changed(): void {
    this.changes++
    this.totals.clear()
  }

  #reserve(rows: number): void {
    this.#room = rows
    this.names.reserve(rows)
    this.columns.reserve(rows)
    this.leaves.reserve(rows)
    this.tagLists.reserve(rows)
    if (rows > this.entries.ids.length) this.entries.reserve(rows)
  }

  #move(row: number): void {
    for (const order of this.#orders.values()) order.move(row)
  }

  #watch(row: number): () => void {
    const watching = [...this.#orders.values()].map((order) => order.watch(row))
    return () => {
      for (const settle of watching) settle()
    }
  }
}
