/** Webhooks: which addresses are told, and how it goes; one of them with its last deliveries. */

import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts'
import { counted } from '../words.ts'
import { Typed } from './parts/command.tsx'
import { type Frame, Page } from './parts/frame.tsx'
import { Listing } from './parts/listing.tsx'
import { Ago } from './parts/moment.tsx'

export function WebhooksSection({ frame, webhooks, now }: { frame: Frame; webhooks: readonly Webhook[]; now: Date }) {
  return (
    <section>
      <h2 className="apart" id="webhooks">
        Webhooks
      </h2>
      <p className="soft">
        Addresses that are told of what happens. They are registered in the terminal: <Typed words="ph webhooks create" />
      </p>
      {webhooks.length > 0 && (
        <Listing caption="Webhooks" columns={['Address', 'State', 'Last delivery']} canAct>
          {webhooks.map((webhook) => (
            <Row key={webhook.id} frame={frame} webhook={webhook} now={now} />
          ))}
        </Listing>
      )}
    </section>
  )
}

function Row({ frame, webhook, now }: { frame: Frame; webhook: Webhook; now: Date }) {
  const { id, url, events, active, deliveries, last_delivery: last } = webhook
  return (
    <tr>
      <th scope="row">
        {shownUrl(url)}
        <span className="under">{events === null ? 'all events' : events.join(', ')}</span>
      </th>
      <td>
        <span>
          <State isActive={active} />{' '}
          <span className="under">
            {deliveries.pending} waiting, {deliveries.failed} failed
          </span>
        </span>
      </td>
      <td data-label="Last delivery:">{last ? <Came delivery={last} now={now} /> : <span className="soft">none yet</span>}</td>
      <td className="end">
        <a href={frame.at(`/administration/webhooks/${id}`)}>
          Deliveries<span className="unseen"> to {shownUrl(url)}</span>
        </a>
      </td>
    </tr>
  )
}

const shownUrl = (url: string): string => url.replace(/^https?:\/\//, '')

const State = ({ isActive }: { isActive: boolean }) => (
  <span className={isActive ? 'chip good' : 'chip'}>{isActive ? '✓ active' : '– paused'}</span>
)

function Came({
  delivery: { status, attempt, last_error, delivered_at, created_at },
  now,
}: {
  delivery: WebhookDelivery
  now: Date
}) {
  const [tone, words] = { delivered: ['chip good', '✓ came in'], failed: ['chip bad', '✗ failed'], pending: ['chip', '… waits'] }[
    status
  ] as [string, string]
  return (
    <span>
      <span className={tone}>{words}</span> <Ago date={new Date(delivered_at ?? created_at)} now={now} />{' '}
      {last_error !== null && (
        <span className="under">
          {last_error}
          {status === 'pending' && ` Tried ${counted(attempt, 'time')}.`}
        </span>
      )}
    </span>
  )
}

interface WebhookProps {
  frame: Frame
  now: Date
  webhook: Webhook
  /** Newest first. */
  deliveries: readonly WebhookDelivery[]
}

export function WebhookPage({ frame, now, webhook, deliveries }: WebhookProps) {
  const { id, url, active, format } = webhook
  return (
    <Page frame={frame} title={`Webhook ${id}`} section="administration">
      <h1>Webhook {id}</h1>
      <p className="lead">
        <code>{url}</code>
      </p>
      <p className="lead">
        <State isActive={active} /> <span className="soft">sent as {format}</span>
      </p>
      {deliveries.length === 0 ? (
        <p className="soft">Nothing was sent yet.</p>
      ) : (
        <Listing caption="Deliveries, newest first" columns={['Event', 'Tries', 'What became of it']}>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <th scope="row">
                {delivery.event_type} <span className="under">event {delivery.event_id}</span>
              </th>
              <td data-label="Tries">{delivery.attempt}</td>
              <td>
                <Came delivery={delivery} now={now} />
              </td>
            </tr>
          ))}
        </Listing>
      )}
      <p className="apart">
        <a href={frame.at('/administration#webhooks')}>Back to administration</a>
      </p>
    </Page>
  )
}
