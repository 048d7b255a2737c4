/** Sweeps: each is looked at first, and carried out after that. */

import type { SweepKind } from '../../../contract/admin.ts'
import { bytesWords, counted } from '../words.ts'
import { type Frame, Token } from './parts/frame.tsx'
import { Listing } from './parts/listing.tsx'
import { Ago } from './parts/moment.tsx'

export interface Look {
  kind: SweepKind
  /** When there was a dry run in time to carry out what it found. */
  lookedAt: Date | null
  /** What would go now; known after a dry run only. */
  candidates: number
  bytes: number
}

const words: Record<SweepKind, { name: string; noun: string; means: string }> = {
  orphan_blobs: {
    name: 'Files',
    noun: 'file',
    means: 'Uploads that were never committed, and bytes of deleted versions, unused for a day or longer.',
  },
  unattached_attachments: {
    name: 'Attachments',
    noun: 'attachment',
    means: 'Pictures that were attached to no comment or review for a day.',
  },
  expired_records: {
    name: 'Records',
    noun: 'record',
    means: 'Activity, changes, deliveries, read notifications and editor sessions that are kept no longer.',
  },
}

export function SweepsSection({ frame, looks, now }: { frame: Frame; looks: readonly Look[]; now: Date }) {
  return (
    <section>
      <h2 className="apart" id="sweeps">
        Sweeps
      </h2>
      <p className="soft">
        The server removes by itself what nothing uses any more, once an hour. Here you see what would go, and remove it now.
      </p>
      <Listing caption="Sweeps" columns={['What', 'Found']} canAct>
        {looks.map((look) => (
          <tr key={look.kind}>
            <th scope="row">
              {words[look.kind].name}
              <span className="under">{words[look.kind].means}</span>
            </th>
            <td data-label="Found:">
              <Found look={look} now={now} />
            </td>
            <td className="end">
              <Acts frame={frame} look={look} />
            </td>
          </tr>
        ))}
      </Listing>
    </section>
  )
}

function Found({ look: { kind, lookedAt, candidates, bytes }, now }: { look: Look; now: Date }) {
  if (!lookedAt) return <span className="soft">not looked yet</span>
  return (
    <span>
      {candidates === 0 ? 'nothing' : counted(candidates, words[kind].noun)}
      {bytes > 0 && `, ${bytesWords(bytes)}`}{' '}
      <span className="under">
        looked <Ago date={lookedAt} now={now} />
      </span>
    </span>
  )
}

function Acts({ frame, look: { kind, lookedAt, candidates } }: { frame: Frame; look: Look }) {
  const { name, noun } = words[kind]
  return (
    <form method="post" action={frame.at('/administration/sweeps')}>
      <Token frame={frame} />
      <input type="hidden" name="kind" value={kind} />
      <button className="link unbroken" type="submit" name="act" value="look">
        Look what would go<span className="unseen"> ({name})</span>
      </button>
      {lookedAt && candidates > 0 && (
        <>
          {' '}
          <button className="button danger" type="submit" name="act" value="remove">
            Remove {counted(candidates, noun)}
          </button>
        </>
      )}
    </form>
  )
}
