/** A prop on a turntable in the terminal: a thread draws, keys are answered at once, the screen is given back in every case. */
import { setTimeout as pause } from 'node:timers/promises'
import { exits } from '../../../../contract/errors.ts'
import type { SubjectFacts, SubjectSource } from '../../../../previews/subjects/subject.ts'
import { printable } from '../../../../system/printable.ts'
import type { Context } from '../../../context.ts'
import { hasColor, painter, shown } from '../../output.ts'
import { DrawingThread } from '../drawing-thread.ts'
import { clearFrames, type FrameStyle } from '../frames.ts'
import { KeyReader, type TerminalInput } from './keys.ts'
import { factWords, type KnownMeasures, lineOf, stillKeys, turnKeys } from './line.ts'
import { openRawScreen, type RawScreen } from './raw-screen.ts'
import { firstView, passed, pressed, startTurning, type TurnState } from './state.ts'

export interface TurnSubject {
  name: string
  source: SubjectSource
  known?: KnownMeasures
}

export interface TurnOptions {
  style: Pick<FrameStyle, 'protocol' | 'colorDepth'>
  /** Turns by itself at first. */
  hasMotion: boolean
}

const ESC = '\u001b'
const askCell = `${ESC}[16t`
/** Frames of what turns by itself come no faster. */
const frameMs = 66
/** A moving picture that takes longer than this is drawn with fewer pixels, down to so few. */
const budgetMs = 120
const leastDetail = 0.3
/** What follows an Esc in one key follows at once. */
const escapeMs = 50
/** What is read sooner needs no word. */
const patienceMs = 400
/** Until the terminal has said how large its cells are. Sixels must not reach too far. */
const usualCell = { width: 10, height: 20 }
const smallCell = { width: 8, height: 16 }

/** Until it is left; gives the exit code. Throws DrawingError for what cannot be drawn, before the screen is taken. */
export async function runTurntable(context: Context, subject: TurnSubject, options: TurnOptions): Promise<number> {
  const { signal, stderr } = context
  const thread = new DrawingThread({ signal })
  const told = setTimeout(() => stderr.write(`\r${ESC}[2KReading ${printable(subject.name)} …`), patienceMs)
  try {
    const [facts] = await thread.read([subject.source]).finally(() => {
      clearTimeout(told)
      stderr.write(`\r${ESC}[2K`)
    })
    return facts ? await new Turntable(context, { thread, facts, subject }, options).run() : exits.failed
  } finally {
    await thread.end()
  }
}

interface Parts {
  thread: DrawingThread
  facts: SubjectFacts
  subject: TurnSubject
}

class Turntable {
  readonly #context: Context
  readonly #parts: Parts
  readonly #keys = new KeyReader()
  readonly #style: FrameStyle
  /** Of two pictures in the memory of the terminal, which other programs use too. */
  readonly #firstId = 2 * (1 + Math.floor(Math.random() * 500_000_000))
  #state: TurnState
  #code: number | undefined
  #wake: () => void = () => undefined
  #isChanged = true
  #detail = 1
  #frames = 0
  /** Up to when the state counts the time. */
  #countedMs = performance.now()
  readonly #ended = Promise.withResolvers<undefined>()
  #escape: NodeJS.Timeout | undefined

  constructor(context: Context, parts: Parts, { style, hasMotion }: TurnOptions) {
    this.#context = context
    this.#parts = parts
    this.#style = { ...style, cell: style.protocol === 'sixel' ? smallCell : usualCell }
    this.#state = startTurning(hasMotion && this.#turns)
  }

  get #turns(): boolean {
    return this.#parts.facts.kind === 'mesh'
  }

  async run(): Promise<number> {
    const { signal } = this.#context
    const onAbort = () => this.#end(exits.interrupted)
    signal.addEventListener('abort', onAbort, { once: true })
    const screen = openRawScreen(this.#context, {
      onText: (text) => this.#take(this.#keys.read(text)),
      onResize: () => this.#change(),
      farewell: clearFrames(this.#style, this.#firstId),
    })
    try {
      if (this.#style.protocol !== 'blocks') screen.show(askCell)
      if (signal.aborted) onAbort()
      await this.#drawUntilEnd(screen)
    } finally {
      clearTimeout(this.#escape)
      signal.removeEventListener('abort', onAbort)
      screen.close()
    }
    return this.#code ?? exits.done
  }

  async #drawUntilEnd(screen: RawScreen): Promise<void> {
    let size = screen.size()
    while (this.#code === undefined) {
      const startedMs = performance.now()
      this.#count()
      const isResized = size.columns !== screen.size().columns || size.rows !== screen.size().rows
      size = screen.size()
      const isMoving = this.#isChanged || this.#state.isTurning
      const detail = isMoving ? this.#detail : 1
      this.#isChanged = false
      const text = await this.#frame(size, detail)
      if (text === undefined) return
      // Drawn for a size that the screen no longer has, it would scroll.
      if (size.columns === screen.size().columns && size.rows === screen.size().rows)
        screen.show(`${isResized ? `${ESC}[2J` : ''}${text}${this.#line(size)}`)
      const tookMs = performance.now() - startedMs
      if (isMoving) this.#detail = fitting(this.#detail, tookMs)
      await this.#rest(detail < 1, tookMs)
    }
  }

  /** Undefined when it was left meanwhile. */
  async #frame({ columns, rows }: { columns: number; rows: number }, detail: number): Promise<string | undefined> {
    const box = { columns, rows: Math.max(1, rows - 1) }
    const { yaw, pitch, zoom } = this.#state
    const turn = { yaw, pitch, zoom, fitPitch: firstView.pitch }
    const frame = { style: this.#style, shape: { box, detail }, turn: this.#frames++, firstId: this.#firstId }
    return Promise.race([this.#parts.thread.frame({ turn, frame }), this.#ended.promise])
  }

  #line({ columns, rows }: { columns: number; rows: number }): string {
    if (rows < 2) return ''
    const { stdout, env } = this.#context
    const { facts, subject } = this.#parts
    const nothing = facts.kind === 'sound' ? 'a sound has nothing to turn' : 'a picture has nothing to turn'
    const words = this.#turns ? factWords(facts, subject.known) : [nothing, ...factWords(facts)]
    const keys = this.#turns ? turnKeys(this.#state.isTurning) : stillKeys
    const text = lineOf({ name: subject.name, facts: words, keys }, { columns, paint: painter(hasColor(stdout, env)) })
    return `${ESC}[${rows};1H${ESC}[0m${ESC}[2K${shown(text)}`
  }

  /** Until there is something else to see. What was drawn with fewer pixels is drawn again once nothing moves. */
  async #rest(isRough: boolean, tookMs: number): Promise<void> {
    if (this.#isChanged || this.#code !== undefined) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const waitMs = this.#state.isTurning ? Math.max(1, frameMs - tookMs) : isRough ? frameMs : undefined
    if (waitMs === undefined) return promise
    const ended = new AbortController()
    await Promise.race([promise, pause(waitMs, undefined, { signal: ended.signal }).catch(() => undefined)])
    ended.abort()
  }

  #take(inputs: readonly TerminalInput[]): void {
    clearTimeout(this.#escape)
    if (this.#keys.isWaiting) this.#escape = setTimeout(() => this.#take(this.#keys.flush()), escapeMs)
    for (const input of inputs) {
      if ('cell' in input) {
        this.#style.cell = input.cell
        this.#change()
      } else if (input.key === 'quit') this.#end(exits.done)
      else if (input.key === 'interrupt') this.#end(exits.interrupted)
      else if (this.#turns) {
        this.#count()
        this.#state = pressed(this.#state, input.key)
        this.#change()
      }
    }
  }

  /** Lets the time that has passed turn it. */
  #count(): void {
    const nowMs = performance.now()
    this.#state = passed(this.#state, nowMs - this.#countedMs)
    this.#countedMs = nowMs
  }

  #change(): void {
    this.#isChanged = true
    this.#wake()
  }

  #end(code: number): void {
    this.#code ??= code
    this.#ended.resolve(undefined)
    this.#wake()
  }
}

const fitting = (detail: number, tookMs: number): number => {
  if (tookMs > budgetMs) return Math.max(leastDetail, detail * 0.75)
  return tookMs < budgetMs / 3 ? Math.min(1, detail * 1.2) : detail
}
