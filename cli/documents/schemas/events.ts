/** Documents of commands about events: what happened, and which addresses are told; and of those for owners and admins. */
import { ActivityEvent } from '../../../contract/activity.ts'
import { admin, DenylistRecord, StorageFigures, Sweep } from '../../../contract/admin.ts'
import { Webhook, webhooks } from '../../../contract/webhooks.ts'
import { either, type Shapes, shape } from './shape.ts'

const Event = shape(
  `{
    id: integer, type: string, actor: Open | null, entry_id: integer | null, lineage_id: string | null,
    object_id: integer | null, batch_key: string | null, payload: Open, created_at: string
  }`,
)

/** What came of sending it to a receiver on this machine. */
const Answer = shape('{ result: "delivered" | "failed" | "lost" | "seen", status_code: integer | null, error: string | null }')

export const eventShapes: Shapes = {
  activity: either(shape('{ events: ActivityEvent[], next_cursor: integer | null }', { ActivityEvent }), ActivityEvent),
  'webhooks list': webhooks.list.output,
  'webhooks create': webhooks.create.output,
  'webhooks update': webhooks.update.output,
  'webhooks delete': shape('{ webhook: Webhook }', { Webhook }),
  'webhooks test': webhooks.test.output,
  'webhooks deliveries': webhooks.deliveries.output,
  'webhooks replay': webhooks.replay.output,
  'webhooks listen': shape('{ event: Event, sent_as: string | null } & Answer', { Event, Answer }),
}

export const adminShapes: Shapes = {
  'admin denylist list': admin.denylist.output,
  'admin denylist add': DenylistRecord,
  'admin denylist remove': shape('{ record: DenylistRecord }', { DenylistRecord }),
  'admin sweep': shape('{ dry_run: boolean, sweeps: Sweep[] }', { Sweep }),
  'admin previews': admin.refreshPreviews.output,
  'admin storage': StorageFigures,
}
