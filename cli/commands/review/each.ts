/** What `ph review` does to each of several reviews, one after the other: what each came to, as sentences and as rows. */
import { ApiError, exits } from '../../../contract/errors.ts'
import type { ReviewRequest } from '../../../contract/review-requests.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { type ErrorDocument, errorDocument, failureOf } from '../../exit.ts'
import { Refusal } from '../../refusal.ts'
import { number } from '../../terminal/amounts.ts'
import { wrap, wrapAfter } from '../../terminal/wrap.ts'

/** What is acted on: a version of a prop, with or without a round. */
export interface Subject {
  entry_id: number
  name: string
  /** As people say it: `v3`. */
  version: string
  request_id: number | null
}

export interface Outcome {
  /** As a sentence about the version goes on, without the full stop: `approved; mia has not answered`. */
  words: string
  request: ReviewRequest | null
}

export interface ReviewAct extends Subject {
  /** What a dry run says it came to. */
  plan: string
  perform(): Promise<Outcome>
  /** The refusal that an error stands for, in words about this review. */
  explain(error: ApiError): Refusal | undefined
  /** Why it would be refused. */
  refused?: Refusal | undefined
}

export interface ReviewRow extends Subject {
  status: 'done' | 'would' | 'failed'
  outcome: string
  request: ReviewRequest | null
  error?: ErrorDocument
}

/** `SM_Barrel v3 (r12)` */
export const subjectWords = ({ name, version, request_id }: Subject): string =>
  `${printable(name)} ${version}${request_id === null ? '' : ` (r${request_id})`}`

interface Each {
  dryRun: boolean
  /** What the answer holds besides. */
  more?: Record<string, unknown>
  /** Lines below the sentences. */
  closing?: (rows: readonly ReviewRow[]) => string[]
}

/** Gives the exit code. Where only one was named its failure is the command's. */
export async function actOnReviews(
  context: Context,
  acts: readonly ReviewAct[],
  { dryRun, more, closing }: Each,
): Promise<number> {
  const rows: ReviewRow[] = []
  let worst: number = exits.done
  for (const act of acts) {
    try {
      rows.push(await perform(act, dryRun))
    } catch (error) {
      const refusal = refusalOf(act, error)
      if (!refusal || acts.length === 1) {
        tellDone(context, rows, acts.length)
        throw refusal ? named(act, refusal) : error
      }
      worst = worst === exits.done ? refusal.exit : worst
      rows.push(failedRow(act, refusal))
    }
  }
  const failed = rows.filter(({ status }) => status === 'failed').length
  const { out } = context
  out.result({ dry_run: dryRun, ...more, done: rows.length - failed, failed, reviews: rows }, () => [
    ...rows.flatMap((row) => rowLines(row, context)),
    ...(closing?.(rows) ?? []),
    ...(dryRun ? ['', 'Nothing was changed.'] : []),
  ])
  return failed === 0 ? exits.done : failed === rows.length ? worst : exits.partly
}

async function perform(act: ReviewAct, dryRun: boolean): Promise<ReviewRow> {
  const { entry_id, name, version, request_id, plan, refused } = act
  if (refused) throw refused
  const subject = { entry_id, name, version, request_id }
  if (dryRun) return { ...subject, status: 'would', outcome: plan, request: null }
  const { words, request } = await act.perform()
  return { ...subject, request_id: request?.id ?? request_id, status: 'done', outcome: words, request }
}

/** What concerns this review alone is its row; what would concern every other one too ends the command. */
function refusalOf(act: ReviewAct, error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (!(error instanceof ApiError) || ![403, 404, 409, 422].includes(error.status)) return
  const known = act.explain(error)
  if (known) return known
  const { exit, code, message, details, next } = failureOf(error)
  return new Refusal({ exit, code, message, details, next })
}

/** The same about the thing by its name. */
const named = (subject: Subject, { code, exit, message, next, details }: Refusal): Refusal =>
  new Refusal({ code, exit, message: `${subjectWords(subject)}: ${message}`, next, details })

const failedRow = (subject: ReviewAct, refusal: Refusal): ReviewRow => ({
  ...{ entry_id: subject.entry_id, name: subject.name, version: subject.version, request_id: subject.request_id },
  status: 'failed',
  outcome: refusal.message,
  request: null,
  error: errorDocument(refusal),
})

function rowLines({ status, outcome, error, ...subject }: ReviewRow, { out }: Context): string[] {
  const label = `${out.paint('bold', subjectWords(subject))}: `
  if (status !== 'failed') return wrapped(`${label}${printable(outcome)}.`, out.width)
  return [
    ...wrapped(`${label}${out.paint(['red', 'bold'], 'not possible')}. ${printable(outcome)}`, out.width),
    ...wrapAfter('    → ', printable(error?.hint ?? ''), out.width).map((line) => out.paint('dim', line)),
  ]
}

/** The lines after the first are set in a little, so that each review is seen to begin. */
const wrapped = (text: string, width: number): string[] =>
  wrap(text, width - 2).map((line, at) => (at === 0 ? line : `  ${line}`))

function tellDone({ out }: Context, rows: readonly ReviewRow[], all: number): void {
  const done = rows.filter(({ status }) => status === 'done').length
  if (done > 0) out.note(`${number(done)} of ${number(all)} reviews were done before that.`)
}
