/**
 * Packages that were moved in the editor: a moved package has a new GUID, and the redirector at its old place keeps the old
 * one (uasset-header 12.2). What this machine does not remember of the old place, the library is asked.
 */

import type { ManifestItem, NegotiateItem } from '../../../contract/push.ts'
import type { Api } from '../../http/api.ts'
import type { PlannedItem } from '../plan/plan.ts'
import type { Amendment } from './outcomes.ts'

/**
 * Asks what would become of newcomers under the GUIDs of the redirectors that lead to them. Gives the stamps of those that would
 * continue a lineage.
 */
export async function stampsOfMoved(
  api: Api,
  judged: readonly { planned: PlannedItem; item: NegotiateItem }[],
): Promise<Map<PlannedItem, Amendment>> {
  const stamps = new Map<PlannedItem, Amendment>()
  let open = judged
    .filter(({ planned, item }) => isNewcomer(item) && !planned.item.stamped_lineage_id)
    .map(({ planned }) => planned)
  for (let at = 0; ; at++) {
    open = open.filter((planned) => planned.formerGuids[at] !== undefined && !stamps.has(planned))
    if (open.length === 0) return stamps
    const items = open.map(({ item, formerGuids }) => ({ ...bareItem(item), package_guid: formerGuids[at] }))
    const answer = await api.push.negotiate({ items })
    for (const [index, planned] of open.entries()) {
      const stamp = stampOf(answer.items[index])
      if (stamp) stamps.set(planned, stamp)
    }
  }
}

function stampOf(answer: NegotiateItem | undefined): Amendment | undefined {
  if (answer?.action !== 'register' || !answer.lineage_id) return undefined
  return {
    stamped_lineage_id: answer.lineage_id,
    ...(answer.face_content_hash ? { stamped_base_hash: answer.face_content_hash } : {}),
    ...(answer.face_object_id ? { expected_face_object_id: answer.face_object_id } : {}),
  }
}

const isNewcomer = ({ action, lineage_id }: NegotiateItem): boolean => action === 'hold' || (action === 'register' && !lineage_id)

/** An item that is only asked about: nothing in it leads to other items. */
export function bareItem(item: Readonly<ManifestItem>): ManifestItem {
  const { dependencies: _needs, entry: _entry, pack_ref: _pack, metadata_doc: _document, parts: _parts, ...bare } = item
  return bare
}
