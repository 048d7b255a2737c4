/** Items of which it is not sure what they are a version of: someone decides, then they go (spec 4.9). */
import { join } from 'node:path'
import type { Deletion } from '../../../contract/lineages.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import { pathOf } from '../../project/project-file.ts'
import type { PlannedItem } from '../plan/plan.ts'
import type { AnsweredBefore, PushedItem } from '../report.ts'
import type { PushRound } from '../send/round.ts'
import { isShared, unknownBase, wasDeleted } from './why-held.ts'

/** `continue`: a new version of the candidate. `new`: a prop of its own. */
export type HeldAnswer = 'continue' | 'new'

export interface HeldItem {
  /** Below the project's root. */
  file: string
  name: string
  reason: string
  /** Null when it clashes with another new item of the same push, and when its prop was deleted: then it can only be `new`. */
  candidate_lineage_id: string | null
  /** Another version became current since the file was last held and its current version named. */
  overtaken: boolean
  /** Who deleted its prop from the library. */
  deleted?: Deletion
  /** The other projects that have the prop. */
  other_projects: readonly string[]
  /** What this project answered about all of those before; given where nothing else is. */
  remembered: HeldAnswer | undefined
  /** The picture in the file, if there is one. */
  picture(): Promise<Uint8Array | undefined>
}

export interface GivenAnswers {
  /** By file. */
  answers: ReadonlyMap<string, HeldAnswer>
  /** Given for all that are left: about the props of other projects this project is not asked again. */
  rest?: HeldAnswer | undefined
}

/** What is left out stays held, or goes as remembered. Called again for items that come to be held later. */
export type HeldAnswers = (held: HeldItem[]) => Promise<GivenAnswers> | GivenAnswers

const noAnswers: HeldAnswers = () => ({ answers: new Map() })

interface Holding {
  root: string
  memory: ProjectMemory
  /** What was answered before counts for nothing. */
  askAgain?: boolean | undefined
  /** Nothing is remembered. */
  dryRun: boolean
}

type Held = { planned: PlannedItem; report: PushedItem }

const questions: readonly unknown[] = ['probable_lost_stamp', unknownBase, wasDeleted, isShared]
const isQuestion = ({ reason }: PushedItem): boolean => questions.includes(reason)

/**
 * Asks about everything that is held, and sends what was answered along with what waited for it. Gives what went by an answer of an
 * earlier time.
 */
export async function answerHeld(
  round: PushRound,
  answers: HeldAnswers = noAnswers,
  holding: Holding,
): Promise<AnsweredBefore[]> {
  const seen = new Set<string>()
  const before = new Map<string, AnsweredBefore>()
  for (;;) {
    const held = round.outcomes.withStatus('held')
    const open = held.filter(({ report }) => isQuestion(report) && !seen.has(report.content_hash))
    if (open.length === 0) return [...before.values()]
    for (const { report } of open) seen.add(report.content_hash)
    const items = toHeldItems(open, { round, holding })
    const given = await answers(items)
    if (!holding.dryRun) rememberRest(holding.memory, items, given)
    const remembered = new Map(items.flatMap((one) => (given.answers.has(one.file) ? [] : [[one.file, one.remembered] as const])))
    const answered = open.flatMap((one) => {
      const { file, other_projects = [] } = one.report
      const sent = answer(one, given.answers.get(file) ?? remembered.get(file), round)
      if (sent) noteBefore(before, { file, other_projects, is: remembered.get(file) })
      return sent ?? []
    })
    if (answered.length === 0) return [...before.values()]
    const waiting = held.flatMap(({ report, planned }) => (isQuestion(report) ? [] : planned))
    const without = round.outcomes.wentWithout(new Set(answered.map(({ item }) => item.content_hash)))
    const again = [...answered, ...waiting, ...without]
    round.outcomes.reopen(again)
    await round.run(again)
  }
}

/** Without files that did not go in the end. */
export function withoutStayed(before: readonly AnsweredBefore[], reports: readonly PushedItem[]): AnsweredBefore[] {
  const gone = new Set(reports.flatMap(({ file, status }) => (status === 'new' || status === 'dedup' ? file : [])))
  const went = before.map((one) => ({ ...one, files: one.files.filter((file) => gone.has(file)) }))
  return went.filter(({ files }) => files.length > 0)
}

function noteBefore(
  before: Map<string, AnsweredBefore>,
  { file, other_projects, is }: { file: string; other_projects: string[]; is: HeldAnswer | undefined },
): void {
  if (is === undefined) return
  const answer = is === 'new' ? 'new' : 'attach'
  const key = [answer, ...other_projects].join('\0')
  const one = before.get(key) ?? { answer, other_projects, files: [] }
  one.files.push(file)
  before.set(key, one)
}

/**
 * The item is sent with the answer. A new version is of the one that was named: another one meanwhile makes the file outdated. A new level
 * has all of its parts.
 */
function answer(
  { planned, report }: Held,
  given: HeldAnswer | undefined,
  { outcomes, faces }: PushRound,
): PlannedItem | undefined {
  const candidate = report.candidate_lineage_id
  if (given === 'new') return outcomes.makeNew(planned)
  if (given !== 'continue' || !candidate) return undefined
  outcomes.amend(planned, { attach_to_lineage: candidate, expected_face_object_id: faces.get(report.content_hash) })
  return planned
}

function toHeldItems(open: readonly Held[], { round, holding }: { round: PushRound; holding: Holding }): HeldItem[] {
  const told = recallTold(holding.memory)
  const before = holding.askAgain ? {} : recallAnswers(holding.memory)
  return open.map(({ planned, report }) => {
    const { file, name, reason = '', candidate_lineage_id = null, deleted, other_projects = [] } = report
    const named = told[file]
    const face = round.faces.get(report.content_hash)
    const overtaken = named !== undefined && named.lineage === candidate_lineage_id && named.face !== face
    const remembered = deleted ? undefined : answerAbout(other_projects, before)
    const about = { file, name, reason, candidate_lineage_id, overtaken, other_projects, remembered }
    return { ...about, ...(deleted ? { deleted } : {}), picture: () => pictureOf(planned, holding.root) }
  })
}

async function pictureOf({ files: [file] }: PlannedItem, root: string): Promise<Uint8Array | undefined> {
  const { hasPicture, makeThumbnail } = await import('../../project/thumbnail.ts')
  if (!hasPicture(file)) return undefined
  const made = await makeThumbnail(join(root, pathOf(file)), file)
  return 'png' in made ? made.png : undefined
}

/** By file: the lineage it was held for, and the version that was current in it. */
type Told = Record<string, { lineage: string; face: number }>

const recallTold = (memory: ProjectMemory): Told => (memory.recall('held') as Told | undefined) ?? {}

/** Remembers which current versions the report names: an answer that a later command line gives is about these. */
export function rememberHeld(round: PushRound, memory: ProjectMemory): void {
  const before = recallTold(memory)
  const told = { ...before }
  for (const { file } of round.outcomes.reports()) delete told[file]
  for (const { report } of round.outcomes.withStatus('held')) {
    const face = round.faces.get(report.content_hash)
    if (report.candidate_lineage_id && face) told[report.file] = { lineage: report.candidate_lineage_id, face }
  }
  if (JSON.stringify(told) !== JSON.stringify(before)) memory.remember('held', told)
}

/** By name of the other project, in lower case. */
type ProjectAnswers = Record<string, HeldAnswer>

const recallAnswers = (memory: ProjectMemory): ProjectAnswers =>
  (memory.recall('other_projects') as ProjectAnswers | undefined) ?? {}

/** From now on people are asked again about the props of other projects. */
export const forgetAnswers = (memory: ProjectMemory): void => memory.remember('other_projects', {})

/** What was answered about all of these projects; undefined where one was not asked about, or the answers differ. */
function answerAbout(others: readonly string[], answers: ProjectAnswers): HeldAnswer | undefined {
  const [first, ...more] = new Set(others.map((name) => answers[name.toLowerCase()]))
  return more.length === 0 ? first : undefined
}

/** An answer for all that are left counts for the projects that those were shared with, until another one is given. */
function rememberRest(memory: ProjectMemory, held: readonly HeldItem[], { answers, rest }: GivenAnswers): void {
  if (rest === undefined) return
  const before = recallAnswers(memory)
  const after = { ...before }
  for (const { file, other_projects } of held)
    if (answers.get(file) === rest) for (const name of other_projects) after[name.toLowerCase()] = rest
  if (JSON.stringify(after) !== JSON.stringify(before)) memory.remember('other_projects', after)
}
