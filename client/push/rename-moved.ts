/** Props that were renamed in the editor: an entry that is still called as its old file was gets the new file's name. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Api } from '../http/api.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { PlannedItem } from './plan/plan.ts'
import type { PushedItem } from './report.ts'
import type { PushRound } from './send/round.ts'

interface Parts {
  api: Api
  memory: ProjectMemory
}

type Pushed = { planned: PlannedItem; report: PushedItem }

const requestsAtOnce = 8

/** By content hash, the name that an entry had. What cannot be renamed keeps its name, and is found by that of its file as well. */
export async function renameMoved({ outcomes, faces }: PushRound, { api, memory }: Parts): Promise<Map<string, string>> {
  const moved = outcomes.withStatus('new').filter(isMoved)
  const names = await namesOf(
    api,
    moved.flatMap(({ report }) => report.entry_id ?? []),
  )
  const atOnce = pLimit(requestsAtOnce)
  const renamed = new Map<string, string>()
  const rename = async ({ report }: Pushed) => {
    const { entry_id, lineage_id, content_hash, name } = report
    const before = names.get(entry_id ?? 0)
    if (!entry_id || !lineage_id || before === undefined || before === name) return
    const { objects } = await api.lineages.get({ lineage_id })
    const former = objects.find(({ object_id }) => object_id === (faces.get(content_hash) ?? report.parent_object_id))
    if (former?.asset_name?.toLowerCase() !== before.toLowerCase()) return
    await api.entries.update({ entry_id, name })
    memory.lastPush.setRenamed(lineage_id, before)
    renamed.set(content_hash, before)
  }
  await Promise.all(moved.map((one) => atOnce(() => rename(one).catch(unlessRefused))))
  return renamed
}

/** A next version of a prop that no file in its place was a version of before. */
const isMoved = ({ planned: { files }, report: { entry_id, lineage_id, parent_object_id } }: Pushed): boolean =>
  entry_id !== null && parent_object_id !== null && files.every(({ known }) => known?.base?.lineageId !== lineage_id)

async function namesOf(api: Api, entryIds: readonly number[]): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  for (let at = 0; at < entryIds.length; at += limits.page.max) {
    const answer = await api.entries.find({ entry_ids: entryIds.slice(at, at + limits.page.max) }).catch(unlessRefused)
    for (const { id, name } of answer?.entries ?? []) names.set(id, name)
  }
  return names
}

/** The versions are pushed: that a name stays is no reason to fail. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}
