/**
 * What a push names about files: failures in full, warnings and notes in a few lines, each with a sign that is not only a colour. The
 * rest is told with --verbose.
 */
import type { Problem, ProblemWeight } from '../../../client/project/problem.ts'
import type { PushReport } from '../../../client/push/report.ts'
import { printable } from '../../../system/printable.ts'
import { number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { weightLook } from '../../terminal/severity.ts'
import { wrap, wrapAfter } from '../../terminal/wrap.ts'
import { problemTitles } from './problem-titles.ts'

export interface NotesLook {
  paint: Paint
  width: number
  verbose: boolean
}

/** Warnings, and notes, take at most so many lines below their title. */
const mostLines = 10
/** Lists of files longer than this end in a line that says how many more there are. */
const mostFiles = 5
/** Of failures of one kind, so many are told in full. */
const mostAlike = 3
/** So many problems of one kind have a sentence each. */
const mostSentences = 2
/** So many packages or files are named in one line. */
const mostSubjects = 3

/** One section, of problems of one weight; empty where there are none. */
export function problemWords({ problems }: PushReport, weight: ProblemWeight, look: NotesLook): string[] {
  const found = problems.filter((problem) => problem.weight === weight)
  if (found.length === 0) return []
  const { title } = weightLook(weight, look.paint)
  const kinds = [...Map.groupBy(found, ({ kind, next }) => `${kind} ${next}`).values()]
  const isWhole = look.verbose || weight === 'failed'
  const blocks = kinds.map((group) => ({ group, lines: isWhole ? wholeBlock(group, look) : shortBlock(group, look) }))
  return ['', title, ...(isWhole ? blocks.flatMap(({ lines }) => lines) : bounded(blocks, plurals[weight]))]
}

const plurals: Record<ProblemWeight, string> = {
  'left-out': 'more reasons',
  note: 'more notes',
  warning: 'more warnings',
  failed: 'more failures',
}

interface Block {
  group: readonly Problem[]
  lines: string[]
}

/** As many blocks as there is room for; a line says how many notes are left. */
function bounded(blocks: readonly Block[], what: string): string[] {
  const shown: string[] = []
  for (const [at, { lines }] of blocks.entries()) {
    const most = at === blocks.length - 1 ? mostLines : mostLines - 1
    if (shown.length + lines.length > most) {
      const hidden = blocks.slice(at).reduce((sum, { group }) => sum + group.length, 0)
      return [
        ...shown,
        ...(shown.length === 0 ? lines.slice(0, mostLines - 1) : []),
        `  and ${number(hidden)} ${what} (--verbose)`,
      ]
    }
    shown.push(...lines)
  }
  return shown
}

const signOf = ({ weight }: Problem, { paint }: NotesLook): string => weightLook(weight, paint).sign

/** Few problems of one kind in their own sentences, more in one together; and what to do, where something is to be done. */
function shortBlock(group: readonly Problem[], look: NotesLook): string[] {
  const [first] = group
  if (!first) return []
  const together = () => `${number(group.length)} ${problemTitles[first.kind]}: ${subjects(group)}`
  const sentences = group.length <= mostSentences ? group.map(sentenceOf) : [together()]
  return [
    ...sentences.flatMap((sentence) => wrapAfter(signOf(first, look), printable(sentence), look.width)),
    ...(first.weight === 'left-out' ? [] : nextLines(first, look)),
  ]
}

const nextLines = ({ next }: Problem, { paint, width }: NotesLook): string[] =>
  wrapAfter('    → ', printable(next), width).map((line) => paint('dim', line))

function sentenceOf(problem: Problem): string {
  const { message, files } = problem
  if (isNamed(problem)) return message
  const bare = message.replace(/\.$/, '')
  return files.length > mostSubjects ? `${bare} (${number(files.length)} files).` : `${bare}: ${listed(files)}`
}

const isNamed = ({ message, files }: Problem): boolean => files.length <= 2 && files.every((file) => message.includes(file))

const subjects = (group: readonly Problem[]): string => listed(group.map(({ subject, files }) => subject ?? files[0] ?? ''))

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostSubjects).join(', ')
  return names.length > mostSubjects ? `${shown} and ${number(names.length - mostSubjects)} more` : shown
}

/** Problems of one kind in their own sentences, with their files, and once what to do. */
function wholeBlock(group: readonly Problem[], look: NotesLook): string[] {
  const shown = look.verbose ? group : group.slice(0, mostAlike)
  const [first] = group
  if (!first) return []
  return [
    ...shown.flatMap((problem) => [
      ...wrapAfter(signOf(problem, look), printable(problem.message), look.width),
      ...(isNamed(problem) ? [] : fileLines(problem.files, look)),
    ]),
    ...(group.length > shown.length ? [`  and ${number(group.length - shown.length)} more like this (--verbose)`] : []),
    ...nextLines(first, look),
  ]
}

/** Files, one a line; without --verbose the first of them. */
export function fileLines(files: readonly string[], { verbose }: Pick<NotesLook, 'verbose'>): string[] {
  const shown = verbose ? files : files.slice(0, mostFiles)
  const hidden = files.length - shown.length
  return [
    ...shown.map((file) => `      ${printable(file)}`),
    ...(hidden > 0 ? [`      and ${number(hidden)} more (--verbose)`] : []),
  ]
}

/** Advice for a list of files, set in below its title. */
export const adviceLines = (text: string, { width }: Pick<NotesLook, 'width'>): string[] => wrap(text, width, '  ')
