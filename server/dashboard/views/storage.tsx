/** What a workspace stores: in all, by kind of file, by pack and by the month in which it came. */
import type { StorageFigures } from '../../../contract/admin.ts'
import { bytesWords } from '../words.ts'

interface Row {
  name: string
  files: number
  bytes: number
}

/** Longer lists end in a row that sums up the rest. */
const mostRows = 10
const number = new Intl.NumberFormat('en')

const kindWords: Record<StorageFigures['by_kind'][number]['kind'], string> = {
  versions: 'Versions of props',
  previews: 'Previews',
  thumbnails: 'Thumbnails',
  attachments: 'Attachments',
  unused: 'In use by nothing',
}

export function StorageSection({ figures }: { figures: StorageFigures }) {
  const { stored_bytes, limit_bytes, by_kind, by_pack, other_packs, by_month } = figures
  const packs = by_pack.map(({ pack, files, bytes }) => ({ name: pack.name, files, bytes }))
  const months = by_month.map(({ month, files, bytes }) => ({ name: monthWords(month), files, bytes }))
  return (
    <section>
      <h2 className="apart" id="stored">
        Storage
      </h2>
      <p className="soft">
        <strong>{bytesWords(stored_bytes)}</strong> stored
        {limit_bytes === null ? '. No limit is set.' : `, of at most ${bytesWords(limit_bytes)}.`}
      </p>
      <Rows
        caption="Stored, by kind of file"
        title="Kind"
        rows={by_kind.map(({ kind, ...one }) => ({ name: kindWords[kind], ...one }))}
      />
      {packs.length > 0 && (
        <div className="pair">
          <Rows caption="Stored, by pack" title="Pack" rows={shortened(packs, 'other packs', other_packs)} />
          <Rows caption="Stored, by month" title="Came in" rows={shortened(months, 'earlier months')} />
        </div>
      )}
    </section>
  )
}

/** `2026-11` as `November 2026`. */
const monthWords = (month: string): string =>
  new Date(`${month}-15T12:00:00Z`).toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

function shortened(all: readonly Row[], noun: string, summed = { packs: 0, files: 0, bytes: 0 }): readonly Row[] {
  const count = all.length + summed.packs
  if (count <= mostRows) return all
  const others = all.slice(mostRows - 1)
  return [
    ...all.slice(0, mostRows - 1),
    {
      name: `${number.format(count - mostRows + 1)} ${noun}`,
      files: others.reduce((sum, { files }) => sum + files, summed.files),
      bytes: others.reduce((sum, { bytes }) => sum + bytes, summed.bytes),
    },
  ]
}

function Rows({ caption, title, rows }: { caption: string; title: string; rows: readonly Row[] }) {
  const most = Math.max(1, ...rows.map(({ bytes }) => bytes))
  return (
    <table className="table shares">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">Size</th>
          <th scope="col">Files</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, files, bytes }) => (
          <tr key={name}>
            <th scope="row">
              {name}
              <meter aria-label={`Share of ${name}`} min={0} max={most} value={bytes} />
            </th>
            <td className="unbroken">{bytesWords(bytes)}</td>
            <td data-label="Files">{number.format(files)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
