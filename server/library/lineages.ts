/** Lineages: the version history of one prop (contract-gaps 4). */
import { ApiError } from '../../contract/errors.ts'
import type { lineages as contract } from '../../contract/lineages.ts'
import type { Handlers } from '../handler.ts'
import { selectLineages } from '../rows/lineage.ts'

export const lineages: Handlers<typeof contract> = {
  async get({ sql, workspace, input }) {
    const [lineage] = await selectLineages(sql, workspace.id, [input.lineage_id])
    if (!lineage) throw new ApiError('LINEAGE_NOT_FOUND', `There is no lineage "${input.lineage_id}" in this workspace.`)
    return lineage
  },
}
