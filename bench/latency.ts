/** How long single answers take, one after the other, and what came out as one markdown table. */

export interface Timing {
  p50Ms: number
  p95Ms: number
  asked: number
}

/** Asks question after question. */
export type Ask = (turn: number) => Promise<unknown> | unknown

const atLeast = 3

/** Up to `most` answers, or as many as come within the time; the first few warm what can be warmed and do not count. */
export async function timeAnswers(ask: Ask, { most, seconds }: { most: number; seconds: number }): Promise<Timing> {
  const warmUpUntil = performance.now() + seconds * 700
  for (let turn = 0; turn < 20 && (turn === 0 || performance.now() < warmUpUntil); turn++) await ask(turn)
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  for (let turn = 0; turn < most && (times.length < atLeast || performance.now() < until); turn++) {
    const started = performance.now()
    await ask(turn)
    times.push(performance.now() - started)
  }
  return timingOf(times)
}

interface InTurn {
  /** What has to be there for the first of them; not timed. */
  before?: Ask | undefined
  most: number
  seconds: number
}

/** Two questions in turn, so that what else the machine does falls on both alike. */
export async function timeInTurn(asks: readonly [Ask, Ask], { before, most, seconds }: InTurn): Promise<[Timing, Timing]> {
  const times: [number[], number[]] = [[], []]
  const until = performance.now() + seconds * 1000
  for (let turn = -warmUps; turn < most && (turn < atLeast || performance.now() < until); turn++) {
    await before?.(turn + warmUps)
    for (const [at, ask] of asks.entries()) {
      const started = performance.now()
      await ask(turn + warmUps)
      if (turn >= 0) times[at]?.push(performance.now() - started)
    }
  }
  return [timingOf(times[0]), timingOf(times[1])]
}

const warmUps = 10

export function timingOf(times: number[]): Timing {
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return { p50Ms: at(0.5), p95Ms: at(0.95), asked: times.length }
}

interface Line {
  question: string
  tool: string
  cells: [p50: string, p95: string, asked: string]
  /** What the ratio is made of, the smaller the better. */
  figure: number
  wanted: string
}

/** Lines in the order in which they came; ours begin with `ph`, and there is one for each question. */
export class Answers {
  readonly #lines: Line[] = []

  add(question: string, tool: string, { timing, wanted = '' }: { timing: Timing; wanted?: string | undefined }): void {
    const { p50Ms, p95Ms, asked } = timing
    this.#push({ question, tool, cells: [ms(p50Ms), ms(p95Ms), String(asked)], figure: p50Ms, wanted })
  }

  /** Something measured once. `figure`: the smaller the better. */
  addOnce(
    question: string,
    tool: string,
    { text, figure, wanted = '' }: { text: string; figure: number; wanted?: string },
  ): void {
    this.#push({ question, tool, cells: [text, '', ''], figure, wanted })
  }

  markdown(): string {
    const head = ['question', 'tool', 'p50', 'p95', 'asked', 'ph ÷ it', 'p95 wanted (at most)']
    const body = this.#lines.map((line) => [line.question, line.tool, ...line.cells, this.#ratio(line), line.wanted])
    return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  }

  #ratio(line: Line): string {
    const ours = this.#lines.find(({ question, tool }) => question === line.question && tool.startsWith('ph'))
    if (!ours || ours === line) return ''
    return ratioText(ours.figure / line.figure)
  }

  #push(line: Line): void {
    this.#lines.push(line)
    process.stderr.write(`${line.question}, ${line.tool}: ${line.cells.filter((cell) => cell !== '').join(', ')}\n`)
  }
}

const ratioText = (ratio: number): string => ratio.toFixed(ratio < 0.1 ? 3 : 2)
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`
