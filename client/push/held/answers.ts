/** Items of which it is not sure what they are a version of: someone decides, then they go (spec 4.9). */
import { join } from 'node:path'
import type { Deletion } from '../../../contract/lineages.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import { pathOf } from '../../project/project-file.ts'
import type { PlannedItem } from '../plan/plan.ts'
import type { PushedItem } from '../report.ts'
import type { PushRound } from '../send/round.ts'
import { unknownBase, wasDeleted } from './why-held.ts'

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
  /** The picture in the file, if there is one. */
  picture(): Promise<Uint8Array | undefined>
}

/** Gives answers by file; what is left out stays held. Called again for items that come to be held later. */
export type HeldAnswers = (held: HeldItem[]) => Promise<ReadonlyMap<string, HeldAnswer>> | ReadonlyMap<string, HeldAnswer>

interface Holding {
  root: string
  memory: ProjectMemory
}

type Held = { planned: PlannedItem; report: PushedItem }

const questions: readonly unknown[] = ['probable_lost_stamp', unknownBase, wasDeleted]
const isQuestion = ({ reason }: PushedItem): boolean => questions.includes(reason)

/** Asks about everything that is held, and sends what was answered along with what waited for it. */
export async function answerHeld(round: PushRound, answers: HeldAnswers, holding: Holding): Promise<void> {
  const seen = new Set<string>()
  for (;;) {
    const held = round.outcomes.withStatus('held')
    const open = held.filter(({ report }) => isQuestion(report) && !seen.has(report.content_hash))
    if (open.length === 0) return
    for (const { report } of open) seen.add(report.content_hash)
    const told = recallTold(holding.memory)
    const given = await answers(open.map((one) => toHeldItem(one, { round, root: holding.root, told })))
    const answered = open.filter((one) => answer(one, given.get(one.report.file), round))
    if (answered.length === 0) return
    const waiting = held.filter(({ report }) => !isQuestion(report))
    const without = round.outcomes.wentWithout(new Set(answered.map(({ report }) => report.content_hash)))
    const items = [...[...answered, ...waiting].map(({ planned }) => planned), ...without]
    round.outcomes.reopen(items)
    await round.run(items)
  }
}

/** The item is sent with the answer. A new version is of the one that was named: another one meanwhile makes the file outdated. */
function answer({ planned, report }: Held, given: HeldAnswer | undefined, { outcomes, faces }: PushRound): boolean {
  const candidate = report.candidate_lineage_id
  if (given === 'new') outcomes.amend(planned, { force_new_lineage: true })
  else if (given === 'continue' && candidate)
    outcomes.amend(planned, { attach_to_lineage: candidate, expected_face_object_id: faces.get(report.content_hash) })
  else return false
  return true
}

function toHeldItem({ planned, report }: Held, { round, root, told }: { round: PushRound; root: string; told: Told }): HeldItem {
  const { file, name, reason = '', candidate_lineage_id = null, content_hash: hash, deleted } = report
  const named = told[file]
  const face = round.faces.get(hash)
  const overtaken = named !== undefined && named.lineage === candidate_lineage_id && named.face !== face
  const picture = () => pictureOf(planned, root)
  return { file, name, reason, candidate_lineage_id, overtaken, ...(deleted ? { deleted } : {}), picture }
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
