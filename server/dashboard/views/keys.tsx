/** The keys of a person: the list, making one, showing it once, revoking one. */

import { commandWord } from '../addresses.ts'
import { exactWords } from '../words.ts'
import { Command } from './parts/command.tsx'
import { Choice, Field, type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'
import { Listing } from './parts/listing.tsx'
import { Ago } from './parts/moment.tsx'
import { Notice } from './parts/notice.tsx'

export interface KeyRow {
  id: number
  name: string
  /** The beginning of the key, which is all that is kept of it. */
  prefix: string
  scope: 'read' | 'write'
  createdAt: Date
  lastUsedAt: Date | null
  /** What used it last, from `X-PH-Client`. */
  lastClient: string | null
}

interface KeysProps {
  frame: Frame
  keys: readonly KeyRow[]
  now: Date
  notice: string | undefined
}

export function KeysPage({ frame, keys, now, notice }: KeysProps) {
  return (
    <Page frame={frame} title="Keys" section="keys">
      <div className="head">
        <div>
          <h1>Your keys</h1>
          <p className="lead">
            Each lets one terminal or program into {frame.workspace?.name} as you. Anyone who holds a key can use it, so give each
            program its own, and revoke what is no longer used.
          </p>
        </div>
        <a className="button" href={frame.at('/keys/new')}>
          New key
        </a>
      </div>
      <Notice words={notice} />
      {keys.length === 0 ? <NoKeys frame={frame} /> : <KeyTable frame={frame} keys={keys} now={now} />}
    </Page>
  )
}

function NoKeys({ frame }: { frame: Frame }) {
  return (
    <div className="empty stack">
      <h2>No keys yet</h2>
      <p className="soft">
        The usual way to get one is <code>ph login</code> in a terminal; you approve it here. It takes{' '}
        <a href={frame.at('/install')}>ph on your machine</a>. For a build machine, <a href={frame.at('/keys/new')}>make a key</a>{' '}
        and hand it over.
      </p>
    </div>
  )
}

function KeyTable({ frame, keys, now }: Omit<KeysProps, 'notice'>) {
  return (
    <Listing caption="Your keys, newest first" columns={['Name', 'Scope', 'Made', 'Last used']} canAct>
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row">
            {key.name} <code className="under">{key.prefix}…</code>
          </th>
          <td>
            <span className="chip">{scopeNames[key.scope]}</span>
          </td>
          <td data-label="Made">
            <Ago date={key.createdAt} now={now} />
          </td>
          <td data-label="Last used">
            <LastUse row={key} now={now} />
          </td>
          <td className="end">
            <a href={frame.at(`/keys/${key.id}/revoke`)}>
              Revoke<span className="unseen"> {key.name}</span>
            </a>
          </td>
        </tr>
      ))}
    </Listing>
  )
}

const scopeNames = { read: 'read only', write: 'read and write' }

function LastUse({ row, now }: { row: KeyRow; now: Date }) {
  if (!row.lastUsedAt) return <span className="soft">not yet</span>
  return (
    <span>
      <Ago date={row.lastUsedAt} now={now} /> {row.lastClient && <span className="under">by {row.lastClient}</span>}
    </span>
  )
}

interface NewKeyProps {
  frame: Frame
  name: string
  scope: string
  problems: readonly Problem[]
}

export function NewKeyPage({ frame, name, scope, problems }: NewKeyProps) {
  return (
    <Page frame={frame} title="New key" section="keys" width="alone" hasTrouble={problems.length > 0}>
      <h1>New key</h1>
      <p className="lead">
        For a build machine or a script. A terminal of yours gets its own by <code>ph login</code>.
      </p>
      <ProblemSummary problems={problems} />
      <form className="sheet fields" method="post" action={frame.at('/keys')}>
        <Token frame={frame} />
        <Field
          name="name"
          label="Name"
          hint="Say where it will be used, so that you know later which one to revoke."
          value={name}
          autoComplete="off"
          maxLength={120}
          problems={problems}
        />
        <Choice
          name="scope"
          legend="What it may do"
          chosen={scope}
          problems={problems}
          choices={[
            { value: 'read', label: 'Read only', hint: 'Look at everything, download single files, change nothing.' },
            { value: 'write', label: 'Read and write', hint: 'Also pull, push, and change what you may change.' },
          ]}
        />
        <div className="actions">
          <button type="submit" className="button">
            Make the key
          </button>
          <a className="button quiet" href={frame.at('/keys')}>
            Back
          </a>
        </div>
      </form>
    </Page>
  )
}

/** The only time that anybody sees the whole key. */
export function KeyMadePage({ frame, name, secret, address }: { frame: Frame; name: string; secret: string; address: string }) {
  return (
    <Page frame={frame} title="The new key" section="keys" width="alone">
      <h1>The new key “{name}”</h1>
      <div className="sheet">
        <p>
          <strong>Copy it now: it is shown this once.</strong> Only a fingerprint of it is kept, so nobody can show it again.
        </p>
        <code className="secret">{secret}</code>
        <p className="soft">In a terminal, enter it with this command, which asks for it:</p>
        <Command words={`ph login --with-key --url ${commandWord(address)}`} />
        <p className="actions">
          <a className="button" href={frame.at('/keys')}>
            I have copied it
          </a>
        </p>
      </div>
    </Page>
  )
}

export function RevokeKeyPage({ frame, row, now }: { frame: Frame; row: KeyRow; now: Date }) {
  return (
    <Page frame={frame} title={`Revoke ${row.name}`} section="keys" width="alone">
      <h1>Revoke “{row.name}”?</h1>
      <p className="lead">
        Programs that use it are refused from their next request on. This cannot be undone, but you can make a new key at any
        time.
      </p>
      <form className="sheet fields" method="post" action={frame.at(`/keys/${row.id}/revoke`)}>
        <Token frame={frame} />
        <dl className="facts">
          <dt>Begins with</dt>
          <dd>
            <code>{row.prefix}</code>
          </dd>
          <dt>Scope</dt>
          <dd>{scopeNames[row.scope]}</dd>
          <dt>Made</dt>
          <dd>{exactWords(row.createdAt)}</dd>
          <dt>Last used</dt>
          <dd>
            <LastUse row={row} now={now} />
          </dd>
        </dl>
        <div className="actions equal">
          <button type="submit" className="button danger">
            Revoke it
          </button>
          <a className="button quiet" href={frame.at('/keys')}>
            Keep it
          </a>
        </div>
      </form>
    </Page>
  )
}
