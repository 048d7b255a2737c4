/** The inbox on a terminal: reads what is looked at, does what keys ask for, and draws what came of it. */
import { type Inbox, type InboxItem, readInbox } from '../../../client/inbox/inbox.ts'
import { type ItemDetail, readItem } from '../../../client/inbox/item.ts'
import { exits } from '../../../contract/errors.ts'
import type { Context } from '../../context.ts'
import { failureOf } from '../../exit.ts'
import type { Library } from '../../library.ts'
import { hasColor, marked, painter } from '../../terminal/output.ts'
import { fetchPicture } from '../../terminal/pictures.ts'
import { waitForEnter } from '../../terminal/typed-line.ts'
import type { FullScreen, ScreenKey } from '../../terminal/views/full-screen.tsx'
import { perform } from './actions.ts'
import { detailLines } from './detail-words.ts'
import { lastScroll, layoutOf, type ScreenSize, screenLines } from './screen.ts'
import { type Action, type Effect, type InboxState, press, selectedItem, startOf, withInbox } from './state.ts'

/** What is known of an item so far. */
interface Looked {
  detail: ItemDetail | undefined
  picture: Uint8Array | undefined
  /** Drawn for a width. */
  drawn: Map<number, readonly string[]>
  failed: string
}

const reloadMs = 60_000
const mostPicture = { columns: 32, rows: 10 }

export class InboxSession {
  readonly #context: Context
  readonly #library: Library
  readonly #style: { colorDepth: number } | undefined
  #state: InboxState
  #size: ScreenSize = { columns: 80, rows: 24 }
  #looked = new Map<string, Looked>()
  #screen: FullScreen | undefined
  #end: (code: number) => void = () => undefined

  constructor(context: Context, library: Library, { inbox, style }: { inbox: Inbox; style: { colorDepth: number } | undefined }) {
    this.#context = context
    this.#library = library
    this.#style = style
    this.#state = startOf(inbox)
  }

  /** Until it is left. Gives the exit code. */
  async run(): Promise<number> {
    const { signal } = this.#context
    const ended = new Promise<number>((resolve) => {
      this.#end = resolve
    })
    const onAbort = () => this.#end(exits.interrupted)
    signal.addEventListener('abort', onAbort, { once: true })
    const timer = setInterval(() => this.#reloadQuietly(), reloadMs)
    try {
      await this.#open()
      return await ended
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', onAbort)
      await this.#close()
    }
  }

  /** What is drawn after that would come back to life. */
  async #close(): Promise<void> {
    const screen = this.#screen
    this.#screen = undefined
    await screen?.close()
  }

  async #open(): Promise<void> {
    const { openFullScreen } = await import('../../terminal/views/full-screen.tsx')
    const { stdin, stdout } = this.#context
    this.#screen = openFullScreen({ lines: (size) => this.#lines(size), onKey: (key) => this.#press(key) }, { stdin, stdout })
    this.#look()
  }

  #lines(size: ScreenSize): readonly string[] {
    this.#size = size
    const { stdout, env, now } = this.#context
    const paint = painter(hasColor(stdout, env))
    return screenLines(this.#state, this.#detail(), { ...size, paint, now: now() })
  }

  /** All lines of the right side. */
  #detail(): readonly string[] {
    const item = selectedItem(this.#state)
    if (!item) return []
    const { stdout, env, now } = this.#context
    const width = layoutOf(this.#size, this.#state).detail
    const looked = this.#looked.get(item.key)
    const picture = looked ? this.#picture(looked, width) : []
    const lines = detailLines(
      item,
      { detail: looked?.detail, picture },
      { paint: painter(hasColor(stdout, env)), width, now: now() },
    )
    return looked?.failed ? [...lines.slice(0, -1), looked.failed] : lines
  }

  /** Drawn once for a width, and shown when that is done. */
  #picture(looked: Looked, width: number): readonly string[] {
    const columns = Math.min(mostPicture.columns, width)
    const known = looked.drawn.get(columns)
    if (known || !looked.picture || !this.#style) return known ?? []
    const { colorDepth } = this.#style
    looked.drawn.set(columns, [])
    const { picture } = looked
    void import('../../terminal/views/picture.ts')
      .then(({ drawPicture }) => drawPicture(picture, { ...mostPicture, columns }, { protocol: 'blocks', colorDepth }))
      .then((text) => {
        looked.drawn.set(columns, marked(text).split('\n').slice(0, -1))
        this.#draw()
      })
      .catch(() => undefined)
    return []
  }

  #draw(): void {
    this.#screen?.draw()
  }

  #press(key: ScreenKey): void {
    const room = { page: layoutOf(this.#size, this.#state).body, last: lastScroll(this.#detail(), this.#state, this.#size) }
    const { state, effect } = press(this.#state, key, room)
    this.#state = state
    if (effect) void this.#do(effect)
    this.#look()
    this.#draw()
  }

  /** Reads what is selected, once. */
  #look(): void {
    const item = selectedItem(this.#state)
    if (!item || this.#looked.has(item.key)) return
    const looked: Looked = { detail: undefined, picture: undefined, drawn: new Map(), failed: '' }
    this.#looked.set(item.key, looked)
    void this.#read(item, looked).then(() => this.#draw())
  }

  async #read(item: InboxItem, looked: Looked): Promise<void> {
    try {
      looked.detail = await readItem(this.#library.api, item)
      const { against, entry } = looked.detail
      const artifactId = against ? against.version.thumbnail_artifact_id : (entry?.thumbnail_artifact_id ?? null)
      if (artifactId === null || !this.#style) return
      this.#draw()
      const { signal } = this.#context
      looked.picture = await fetchPicture(this.#library, artifactId, { signal }).catch(() => undefined)
    } catch (error) {
      looked.failed = failureOf(error).message
    }
  }

  async #do(effect: Effect): Promise<void> {
    if (effect.kind === 'quit') return this.#end(exits.done)
    if (effect.kind === 'interrupt') return this.#end(exits.interrupted)
    this.#set({ isBusy: true })
    let message = ''
    try {
      if (effect.kind === 'checkout' || effect.kind === 'pull') await this.#runCommand(effect)
      else message = await this.#perform(effect)
    } catch (error) {
      const { message: what, next } = failureOf(error)
      message = `${what} ${next}`
    }
    this.#set({ isBusy: false, message })
  }

  #set(change: Partial<InboxState>): void {
    this.#state = { ...this.#state, ...change }
    this.#look()
    this.#draw()
  }

  /** What to say of it. */
  async #perform(effect: Action | { kind: 'reload' }): Promise<string> {
    const { api } = this.#library
    const message = effect.kind === 'reload' ? '' : await perform(api, effect, this.#looked.get(effect.item.key)?.detail)
    await this.#reload()
    return message
  }

  /** Runs another command of ph on the plain terminal, then comes back to what waits by then. */
  async #runCommand({ kind, item }: Extract<Effect, { kind: 'checkout' | 'pull' }>): Promise<void> {
    const context = this.#context
    const words = [kind, String(item.entry_id)]
    await this.#close()
    context.stdout.write(`ph ${words.join(' ')}\n\n`)
    const flags = Object.entries(context.globals).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    )
    await context.run([...words, ...flags], context)
    await waitForEnter(context, '\nPress Enter to go back to the inbox. ')
    try {
      await this.#reload()
    } finally {
      this.#state = { ...this.#state, isBusy: false }
      await this.#open()
    }
  }

  async #reload(): Promise<void> {
    const { now } = this.#context
    const inbox = await readInbox({ api: this.#library.api, now: now() })
    this.#looked = new Map()
    this.#state = withInbox(this.#state, inbox)
  }

  /** Now and then, while nothing else goes on. */
  #reloadQuietly(): void {
    const { isBusy, writing } = this.#state
    if (isBusy || writing || !this.#screen) return
    this.#reload()
      .then(() => this.#set({}))
      .catch(() => undefined)
  }
}
