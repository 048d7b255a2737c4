/** Documents of commands about events: what happened, and which addresses are told. */
import { ActivityEvent } from '../../../contract/activity.ts'
import { Webhook, webhooks } from '../../../contract/webhooks.ts'
import { either, type Shapes, shape } from './shape.ts'

const Event = shape(
  `{
    id: integer, type: string, actor: Open | null, entry_id: integer | null, lineage_id: string | null,
    object_id: integer | null, batch_key: string | null, payload: Open, created_at: string
  }`,
)

/** What came of sending it to a receiver at a desk. */
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
