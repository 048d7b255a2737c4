/** Items that look like new versions of something but do not say so: somebody decides, then they go (spec 4.9). */
import type { PushRound } from './push-round.ts'

/** `continue`: a new version of the candidate. `new`: a prop of its own. */
export type HeldAnswer = 'continue' | 'new'

export interface HeldItem {
  /** Below the project's root. */
  file: string
  name: string
  /** Null when it clashes with another new item of the same push: then it can only be `new`. */
  candidate_lineage_id: string | null
}

/** Gives answers by file; what is left out stays held. Called again for items that come to be held later. */
export type HeldAnswers = (held: HeldItem[]) => Promise<ReadonlyMap<string, HeldAnswer>> | ReadonlyMap<string, HeldAnswer>

/** Asks about everything that is held, and sends what was answered along with what waited for it. */
export async function answerHeld(round: PushRound, answers: HeldAnswers): Promise<void> {
  const asked = new Set<string>()
  for (;;) {
    const held = round.fates.withStatus('held')
    const open = held.filter(({ report }) => report.reason === 'probable_lost_stamp' && !asked.has(report.content_hash))
    if (open.length === 0) return
    for (const { report } of open) asked.add(report.content_hash)
    const given = await answers(
      open.map(({ report: { file, name, candidate_lineage_id = null } }) => ({ file, name, candidate_lineage_id })),
    )
    const answered = open.filter(({ planned, report }) => {
      const answer = given.get(report.file)
      const candidate = report.candidate_lineage_id
      if (answer === 'new') planned.item.force_new_lineage = true
      else if (answer === 'continue' && candidate) planned.item.attach_to_lineage = candidate
      else return false
      return true
    })
    if (answered.length === 0) return
    const waiting = held.filter(({ report }) => report.reason !== 'probable_lost_stamp')
    const items = [...answered, ...waiting].map(({ planned }) => planned)
    round.fates.reopen(items)
    await round.run(items)
  }
}
