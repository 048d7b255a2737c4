/** `ph admin sweep`: looks what nothing uses any more, shows it, and removes it after a yes. */
import type { Api } from '../../../client/http/api.ts'
import type { DenylistedFiles, Sweep, SweepKind } from '../../../contract/admin.ts'
import { printable } from '../../../system/printable.ts'
import { command, flag } from '../../command.ts'
import type { Context } from '../../context.ts'
import { withLibrary } from '../../library.ts'
import { choiceOf } from '../../refusal.ts'
import { count, size } from '../../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../../terminal/confirmation.ts'
import { table } from '../../terminal/table.ts'

/** As people name them. */
const kinds = { files: 'orphan_blobs', attachments: 'unattached_attachments', records: 'expired_records' } as const
type Name = keyof typeof kinds
const names = Object.keys(kinds) as [Name, ...Name[]]

const meanings: Record<SweepKind, string> = {
  orphan_blobs: 'files that nothing has used for a day',
  unattached_attachments: 'pictures that were attached to nothing for a day',
  expired_records: 'records whose time is over: activity, changes, deliveries, read notifications, sessions',
}

export const sweepCommand = command({
  usage: 'admin sweep [kind]',
  summary: 'Remove what nothing uses any more, after showing it',
  description:
    'The server does this by itself once an hour; this does it now. Files: uploads that were never committed, and bytes of deleted versions, a day old at least. Attachments: pictures that belong to no comment or review. Records: what is kept for a time only. Without a kind, all three.',
  arguments: { kind: `${names.join(', ')}; without it all of them` },
  options: { dryRun: flag('--dry-run', 'only show what would go'), yes: yesOption },
  examples: [
    ['admin sweep', 'shows what would go, and asks'],
    ['admin sweep files --dry-run', 'also lists stored files that are on the denylist'],
    ['admin sweep --yes --json', 'for programs'],
  ],
  async run(context, { kind, dryRun, yes }) {
    const chosen = kind === undefined ? names : [choiceOf('<kind>', names)(kind)]
    await withLibrary(context, async ({ api }) => {
      const found: Sweep[] = []
      for (const name of chosen) found.push(await api.admin.sweep({ kind: kinds[name], dry_run: true }))
      const due = found.filter(({ candidates }) => candidates > 0)
      if (dryRun || due.length === 0) {
        const last = due.length > 0 ? 'Nothing was removed.' : 'There is nothing to remove.'
        return context.out.result({ dry_run: true, sweeps: found }, () => [...linesOf(found, context), '', last])
      }
      const plan = linesOf(found, context)
      await confirmHarm(context, { yes, plan, details: { sweeps: found }, question: 'Remove it?' })
      const sweeps: Sweep[] = []
      for (const one of found) sweeps.push(one.candidates > 0 ? await removeAll(api, one) : { ...one, dry_run: false })
      context.out.result({ dry_run: false, sweeps }, () => sweeps.map(removedLine))
    })
    return undefined
  },
})

/** One call removes what it can in its time, so more follow while there is more. */
async function removeAll(api: Api, found: Sweep): Promise<Sweep> {
  let all = { ...found, dry_run: false }
  for (;;) {
    const swept = await api.admin.sweep({ kind: found.kind, dry_run: false })
    all = { ...all, deleted: all.deleted + swept.deleted }
    if (swept.deleted === 0 || swept.deleted >= swept.candidates) return all
  }
}

const whatOf = ({ kind, candidates, bytes }: Sweep): string =>
  `${count(candidates, 'candidate')}${kind === 'expired_records' ? '' : `, ${size(bytes)}`}`

function linesOf(found: readonly Sweep[], context: Context): string[] {
  const columns = [
    { title: 'WHAT', value: ({ kind }: Sweep) => names.find((name) => kinds[name] === kind) ?? kind },
    { title: 'WOULD GO', value: whatOf },
    { title: 'MEANS', value: ({ kind }: Sweep) => meanings[kind], cut: 'end' as const, spare: true },
  ]
  const denied = found.find(({ denylisted }) => denylisted !== undefined && denylisted.files > 0)?.denylisted
  return [...table(found, columns, context.out), ...(denied ? deniedLines(denied, context) : [])]
}

function deniedLines({ files, bytes, listed }: DenylistedFiles, context: Context): string[] {
  const columns = [
    { title: 'PROP', value: (file: (typeof listed)[number]) => (file.name === null ? '(no prop)' : printable(file.name)) },
    { title: 'SIZE', value: (file: (typeof listed)[number]) => size(file.bytes), right: true },
    { title: 'DENIED BY', value: (file: (typeof listed)[number]) => file.denylist_id, right: true },
    { title: 'SHA-256', value: (file: (typeof listed)[number]) => file.content_hash, cut: 'end' as const },
  ]
  const more = files > listed.length ? [`… and ${count(files - listed.length, 'smaller one')}`] : []
  return [
    '',
    `On the denylist, and stored: ${count(files, 'file')}, ${size(bytes)}. They stay.`,
    ...table(listed, columns, context.out),
    ...more,
  ]
}

const nouns: Record<SweepKind, string> = {
  orphan_blobs: 'file',
  unattached_attachments: 'attachment',
  expired_records: 'record',
}

function removedLine({ kind, candidates, deleted }: Sweep): string {
  const rest = candidates - deleted
  const left = rest > 0 ? ` ${count(rest, 'other')} ${rest === 1 ? 'is' : 'are'} in use by now, and stayed.` : ''
  return `${count(deleted, nouns[kind])} removed.${left}`
}
