/** The workspace itself: its state in plain words, its storage, its rate limits. */

import { wordsOf } from '../pages/workspace-states.ts'
import { bytesWords } from '../words.ts'
import { type Frame, Page } from './parts/frame.tsx'

export interface WorkspaceFacts {
  state: string
  storedBytes: number
  /** Null: no limit. */
  limitBytes: number | null
  requestsPerMinute: number
  pushRequestsPerMinute: number
  agentCallsPerMonth: number | null
  /** Where programs reach it. */
  address: string
}

export function WorkspacePage({ frame, facts }: { frame: Frame; facts: WorkspaceFacts }) {
  const { requestsPerMinute, pushRequestsPerMinute, agentCallsPerMonth } = facts
  return (
    <Page frame={frame} title="Workspace" section="workspace">
      <h1>{frame.workspace?.name}</h1>
      <p className="lead">
        <code>{facts.address}</code>
      </p>
      {frame.isAdmin && (
        <p>
          <a href={frame.at('/administration')}>Administration</a>: storage, sweeps, the denylist, webhooks.
        </p>
      )}
      <div className="pair">
        <div>
          <State facts={facts} />
          <section className="sheet">
            <h2>Storage</h2>
            <Storage facts={facts} />
          </section>
        </div>
        <section className="sheet">
          <h2>Rate limits</h2>
          <p className="soft">Each key has its own. A program that asks more often is told to wait and try again.</p>
          <dl className="facts">
            <dt>Requests</dt>
            <dd>{number.format(requestsPerMinute)} a minute</dd>
            <dt>Pushing and pulling</dt>
            <dd>{number.format(pushRequestsPerMinute)} a minute</dd>
            <dt>Calls by AI agents</dt>
            <dd>
              {agentCallsPerMonth === null ? 'no limit' : `${number.format(agentCallsPerMonth)} a month, for the whole workspace`}
            </dd>
          </dl>
        </section>
      </div>
    </Page>
  )
}

const number = new Intl.NumberFormat('en')

function State({ facts }: { facts: WorkspaceFacts }) {
  const { tone, name, words, next } = wordsOf(facts)
  return (
    <section className={tone === 'good' ? 'sheet' : 'note warn'}>
      <h2>
        Status <span className={`chip ${tone}`}>{name}</span>
      </h2>
      <p>{words}</p>
      {next && <p>{next}</p>}
    </section>
  )
}

function Storage({ facts: { storedBytes, limitBytes } }: { facts: WorkspaceFacts }) {
  if (limitBytes === null)
    return (
      <p>
        <strong>{bytesWords(storedBytes)}</strong> stored. No limit is set.
      </p>
    )
  const share = Math.min(1, limitBytes === 0 ? 1 : storedBytes / limitBytes)
  return (
    <>
      <p id="storage">
        <strong>{bytesWords(storedBytes)}</strong> of {bytesWords(limitBytes)} used ({Math.floor(share * 100)} %).
      </p>
      <meter aria-labelledby="storage" min={0} max={1} low={0.8} high={0.95} optimum={0} value={share} />
    </>
  )
}
