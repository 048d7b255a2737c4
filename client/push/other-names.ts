/** Files whose bytes the library has as a prop of another name: which prop that is, and how the new name can be had as well. */

import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Api } from '../http/api.ts'
import { findFaces } from '../memory/find-versions.ts'
import { type Problem, problem } from '../project/problem.ts'
import { pathOf } from '../project/project-file.ts'
import { otherNameAdvice } from './plan/duplicates.ts'
import { nameOf } from './plan/manifest-item.ts'
import type { PlannedItem } from './plan/plan.ts'
import type { PushedItem } from './report.ts'

export interface ThereAlready {
  planned: PlannedItem
  report: PushedItem
}

/** Of more files than these only the first are looked into. */
const mostFiles = 1000

/** Names files that are another prop's, the first time that they are met here. */
export async function findOtherNames(there: readonly ThereAlready[], api: Api): Promise<Problem[]> {
  const untracked = there.filter(({ planned, report }) => planned.item.entry && report.lineage_id && !wasKnown(planned))
  const files = untracked.slice(0, mostFiles)
  if (files.length === 0) return []
  const lineageIds = [...new Set(files.flatMap(({ report }) => report.lineage_id ?? []))]
  const { lineages } = await findFaces(api, { lineageIds, hashes: [], paths: [] })
  const faces = new Map(lineages.map((lineage) => [lineage.id, lineage]))
  const elsewhere = files.flatMap(({ planned }, at) => {
    const face = faces.get(files[at]?.report.lineage_id ?? '')
    const isOwnPath = face?.origin_path && face.origin_path.toLowerCase() === planned.item.origin_path?.toLowerCase()
    return face?.entry_id && !isOwnPath ? [{ planned, entryId: face.entry_id }] : []
  })
  const names = await namesOf(api, [...new Set(elsewhere.map(({ entryId }) => entryId))])
  return elsewhere.flatMap(({ planned, entryId }) => toProblem(planned, { entryId, name: names.get(entryId) }))
}

/** It was pushed or pulled here before with these bytes. */
const wasKnown = ({ item, files }: PlannedItem): boolean => files.some(({ known }) => known?.base?.hash === item.content_hash)

function toProblem({ files: [file] }: PlannedItem, { entryId, name }: { entryId: number; name: string | undefined }): Problem[] {
  const own = nameOf(file).toLowerCase()
  if (name === undefined || own === name.toLowerCase() || name.toLowerCase().endsWith(`/${own}`)) return []
  const message = `${pathOf(file)} has the same bytes as the prop ${name}, and is there under that name.`
  return [problem('other-name', pathOf(file), { message, next: otherNameAdvice(file, String(entryId)) })]
}

/** None where the server does not offer to tell them. */
async function namesOf(api: Api, entryIds: readonly number[]): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  try {
    for (let at = 0; at < entryIds.length; at += limits.page.max) {
      const { entries } = await api.entries.find({ entry_ids: entryIds.slice(at, at + limits.page.max) })
      for (const { id, name } of entries) names.set(id, name)
    }
  } catch (error) {
    if (!(error instanceof ApiError && [403, 404, 405].includes(error.status))) throw error
  }
  return names
}
