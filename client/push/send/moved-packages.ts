/**
 * Packages that were moved in the editor: a moved package has a new GUID, and the redirector at its old place keeps the old
 * one (uasset-header 12.2). What this machine does not remember of the old place, the library is asked.
 */
import type { ManifestItem, NegotiateItem } from '../../../contract/push.ts'
import type { Api } from '../../http/api.ts'
import type { PlannedItem } from '../plan/plan.ts'

/**
 * Asks what would become of newcomers under the GUIDs of the redirectors that lead to them, and stamps those that would
 * continue a lineage. Says whether there are any.
 */
export async function continueMoved(
  api: Api,
  judged: readonly { planned: PlannedItem; item: NegotiateItem }[],
): Promise<boolean> {
  let open = judged.filter(({ item }) => isNewcomer(item)).map(({ planned }) => planned)
  let found = false
  for (let at = 0; ; at++) {
    open = open.filter(({ item, formerGuids }) => formerGuids[at] !== undefined && !item.stamped_lineage_id)
    if (open.length === 0) return found
    const items = open.map(({ item, formerGuids }) => ({ ...bareItem(item), package_guid: formerGuids[at] }))
    const answer = await api.push.negotiate({ items })
    for (const [index, { item }] of open.entries()) found = stampAs(item, answer.items[index]) || found
  }
}

function stampAs(item: ManifestItem, answer: NegotiateItem | undefined): boolean {
  if (answer?.action !== 'register' || !answer.lineage_id) return false
  item.stamped_lineage_id = answer.lineage_id
  if (answer.face_content_hash) item.stamped_base_hash = answer.face_content_hash
  if (answer.face_object_id) item.expected_face_object_id = answer.face_object_id
  return true
}

const isNewcomer = ({ action, lineage_id }: NegotiateItem): boolean => action === 'hold' || (action === 'register' && !lineage_id)

/** An item that is only asked about: nothing in it leads to other items. */
export function bareItem(item: ManifestItem): ManifestItem {
  const { dependencies: _needs, entry: _entry, pack_ref: _pack, metadata_doc: _document, ...bare } = item
  return bare
}
