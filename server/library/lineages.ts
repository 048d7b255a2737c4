/** Lineages: the version history of one prop (contract-gaps 4). */
import type { lineages as contract } from '../../contract/lineages.ts'
import { atOneMoment } from '../database/transaction.ts'
import type { Handlers } from '../handler.ts'
import { pathKey } from '../push/manifest.ts'
import { lineagesNotFound, selectFaceIds, selectFaces, selectLineages, selectVersionsByHash } from '../rows/lineage.ts'

export const lineages: Handlers<typeof contract> = {
  async find({ sql, workspace, now, input }) {
    const { lineage_ids, content_hashes, origin_paths } = input
    return atOneMoment(sql, async (sql) => {
      const [head] = await sql<{ change_seq: number }[]>`select change_seq from feed_heads where workspace_id = ${workspace.id}`
      const versions = await selectVersionsByHash(sql, workspace.id, content_hashes ?? [])
      const atPaths = await selectFaceIds(sql, workspace.id, (origin_paths ?? []).map(pathKey))
      const ids = new Set([...(lineage_ids ?? []), ...versions.map(({ lineage_id }) => lineage_id), ...atPaths])
      return { cursor: head?.change_seq ?? 0, lineages: await selectFaces({ sql, workspace, now }, ids), versions }
    })
  },

  async get({ sql, workspace, now, input }) {
    const [lineage] = await selectLineages({ sql, workspace, now }, [input.lineage_id])
    if (!lineage) throw lineagesNotFound([input.lineage_id])
    return lineage
  },
}
