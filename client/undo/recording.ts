/** An api that records what its calls change, so that it can be taken back. Reading calls go through as they are. */
import { addresses } from '../../contract/addresses.ts'
import type { Api, CallOptions } from '../http/api.ts'
import { type Births, heardBy, noteBirths } from './births.ts'
import type { Call, NewChange } from './journal.ts'
import type { Kept, Row } from './row.ts'
import { SeenLocks } from './seen-locks.ts'

type Fields = Record<string, unknown>
type Send = (input?: Fields, options?: CallOptions) => unknown

/** The same call; `hear` is told of each answer. */
const heard =
  (send: Send, hear: (answer: unknown) => void): Send =>
  async (input, options) => {
    const answer = await send(input, options)
    hear(answer)
    return answer
  }

type Recorded = Fields & { route: string; births: Births }

const unread = Symbol('what was there before could not be read')
const notRead = 'It could not be read how it was before.'

export class Recording {
  readonly api: Api
  readonly #plain: Api
  readonly #said: string[] = []
  readonly #calls: Call[] = []
  readonly #stays = new Set<string>()
  /** Entries as the command has just read them: they need no second look before it changes them. */
  readonly #seen = new Map<unknown, Promise<unknown>>()
  readonly #seenLocks = new SeenLocks()

  constructor(plain: Api) {
    this.#plain = plain
    this.api = this.#wrapped()
  }

  /** What all calls so far changed together; undefined where nothing has changed. */
  get change(): Omit<NewChange, 'at'> | undefined {
    const [first] = this.#said
    if (first === undefined) return undefined
    const more = this.#said.length - 1
    const what = more > 0 ? `${first}, and ${more.toLocaleString('en')} more` : first
    return { what, calls: this.#calls, stays: [...this.#stays], push: null }
  }

  #wrapped(): Api {
    const plain = this.#plain as unknown as Record<string, Record<string, Send>>
    const nouns = Object.entries(addresses).map(([noun, table]) => {
      const calls = Object.entries(table).map(([verb, { method }]) => {
        const send = plain[noun]?.[verb] as Send
        const route = `${noun}.${verb}`
        if (route === 'entries.get' || route === 'entries.find')
          return [verb, heard(send, (answer) => this.#see(answer as never))]
        if (route === 'locks.list') return [verb, heard(send, (answer) => this.#seenLocks.seeList(answer as never))]
        if (route === 'locks.radar') return [verb, heard(send, (answer) => this.#seenLocks.seeRadar(answer as never))]
        return [verb, method === 'GET' ? send : this.#recorded(route, send)]
      })
      return [noun, Object.fromEntries(calls)]
    })
    return Object.fromEntries(nouns) as Api
  }

  #see(answer: Fields & { entries?: Fields[] }): void {
    for (const entry of answer.entries ?? [answer]) this.#seen.set(entry.id, Promise.resolve(entry))
  }

  /** What was seen counts until something is changed with the entry, or with several. */
  #reading({ entry_id }: Fields): Api {
    const seen = this.#seen.get(entry_id)
    if (entry_id === undefined) this.#seen.clear()
    else this.#seen.delete(entry_id)
    if (!seen) return this.#plain
    return { ...this.#plain, entries: { ...this.#plain.entries, get: () => seen as never } }
  }

  #recorded(route: string, send: Send): Send {
    return async (input = {}, options = {}) => {
      const { takingBack } = await import('./taking-back.ts')
      const row = takingBack[route]
      if (!row || 'aside' in row) return send(input, options)
      const reads = 'back' in row ? row.before : undefined
      const births: Births = {}
      const plain = route.startsWith('locks.') ? this.#seenLocks.reading(this.#plain, input) : this.#reading(input)
      const reading = heardBy(plain, (noun, read) => noteBirths(births, noun, read))
      const before = reads ? await reads(reading, input).catch(() => unread) : undefined
      const answer = await send(input, options)
      noteBirths(births, route.split('.')[0] ?? '', answer)
      this.#record(row, { route, input, answer, before, births })
      return answer
    }
  }

  /** Of an answer that is not as it should be nothing can be kept: the call itself has succeeded. */
  #record(row: Exclude<Row, { aside: string }>, { route, input, answer, before, births }: Recorded): void {
    try {
      if ('stays' in row) this.#stay(row.what(input), row.stays)
      else if (before === unread) this.#stay(route, notRead)
      else this.#keep(route, row.keep({ input, answer, before }), births)
    } catch {
      this.#stay(route, notRead)
    }
  }

  #keep(route: string, told: Kept<unknown> | undefined, births: Births): void {
    if (!told) return
    this.#said.push(told.what)
    this.#calls.push({ route, kept: told.kept, births })
  }

  #stay(what: string, why: string): void {
    this.#said.push(what)
    this.#stays.add(why)
  }
}
