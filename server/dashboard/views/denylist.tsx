/** What may not be pushed: the list, what of it is stored, and adding to it. */

import type { DenylistedFiles, DenylistRecord } from '../../../contract/admin.ts'
import { bytesWords, counted } from '../words.ts'
import { Field, type Problem } from './parts/fields.tsx'
import { type Frame, Token } from './parts/frame.tsx'
import { Listing } from './parts/listing.tsx'
import { Ago } from './parts/moment.tsx'

export type DenylistRow = DenylistRecord

export interface TypedDenial {
  value: string
  note: string
}

/** Newest first; the others are in the terminal. */
const mostRows = 50
/** Stored files that are named. */
const mostFiles = 5

interface DenylistProps {
  frame: Frame
  now: Date
  denylist: readonly DenylistRow[]
  denied: DenylistedFiles
  typed: TypedDenial
  problems: readonly Problem[]
}

export function DenylistSection({ frame, now, denylist, denied, typed, problems }: DenylistProps) {
  return (
    <section>
      <h2 className="apart" id="denylist">
        Denylist
      </h2>
      <p className="soft">Files and packages that nobody can push. What is in the library already stays there.</p>
      {denied.files > 0 && <Stored denied={denied} />}
      {denylist.length > 0 && <Denied frame={frame} now={now} denylist={denylist} />}
      <form className="sheet fields" method="post" action={frame.at('/administration/denylist')}>
        <Token frame={frame} />
        <Field
          name="value"
          label="Hash or GUID"
          hint={
            <>
              The SHA-256 of a file, or the GUID of a package. <code>ph inspect</code> shows both.
            </>
          }
          value={typed.value}
          autoComplete="off"
          maxLength={200}
          problems={problems}
        />
        <Field name="note" label="Why (optional)" value={typed.note} autoComplete="off" isOptional problems={problems} />
        <button className="button" type="submit">
          Add to the denylist
        </button>
      </form>
    </section>
  )
}

function Stored({ denied: { files, bytes, listed } }: { denied: DenylistedFiles }) {
  const named = listed.slice(0, mostFiles).map((file) => file.name ?? `${file.content_hash.slice(0, 12)}…, of no prop`)
  return (
    <div className="note warn">
      <p>
        <strong>
          {counted(files, 'file')} on the denylist {files === 1 ? 'is' : 'are'} stored, {bytesWords(bytes)}:
        </strong>{' '}
        {named.join(', ')}
        {files > mostFiles && ` and ${files - mostFiles} more`}.
      </p>
      <p>
        {files === 1
          ? 'It came before it was denied. Delete its prop if it has to go.'
          : 'They came before they were denied. Delete their props if they have to go.'}
      </p>
    </div>
  )
}

function Denied({ frame, now, denylist }: Pick<DenylistProps, 'frame' | 'now' | 'denylist'>) {
  const newest = denylist.toReversed().slice(0, mostRows)
  return (
    <>
      <Listing caption="Denylist, newest first" columns={['Hash or GUID', 'Since']} canAct>
        {newest.map(({ id, kind, value, note, created_at }) => (
          <tr key={id}>
            <th scope="row">
              <code>{value}</code>
              <span className="under">
                {kind === 'content_hash' ? 'a file' : 'a package'}
                {note !== null && `: ${note}`}
              </span>
            </th>
            <td data-label="Since">
              <Ago date={new Date(created_at)} now={now} />
            </td>
            <td className="end">
              <form method="post" action={frame.at(`/administration/denylist/${id}/remove`)}>
                <Token frame={frame} />
                <button className="link unbroken" type="submit">
                  Allow again<span className="unseen"> {value}</span>
                </button>
              </form>
            </td>
          </tr>
        ))}
      </Listing>
      {denylist.length > newest.length && (
        <p className="soft">
          And {denylist.length - newest.length} older ones: <code>ph admin denylist list</code>
        </p>
      )}
    </>
  )
}
