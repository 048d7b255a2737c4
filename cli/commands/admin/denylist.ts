/** `ph admin denylist`: what may not be pushed. */
import type { DenylistRecord } from '../../../contract/admin.ts'
import { ApiError } from '../../../contract/errors.ts'
import { printable } from '../../../system/printable.ts'
import { command, text } from '../../command.ts'
import type { Context } from '../../context.ts'
import { withLibrary } from '../../library.ts'
import { wholeNumber, wrongUsage } from '../../refusal.ts'
import { age } from '../../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../../terminal/confirmation.ts'
import { table } from '../../terminal/table.ts'

export const denylistCommands = [
  command({
    usage: 'admin denylist list',
    summary: 'List what may not be pushed',
    examples: [['admin denylist list', 'hashes and GUIDs, with the reasons']],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const { denylist } = await api.admin.denylist()
        context.out.result({ denylist }, () => (denylist.length > 0 ? rows(denylist, context) : 'Everything may be pushed.'))
      })
      return undefined
    },
  }),
  command({
    usage: 'admin denylist add <value>',
    summary: 'Forbid a file by its hash, or a package by its GUID',
    description:
      'From now on nobody can push it. What is in the library already stays: `ph admin sweep files --dry-run` lists it with its prop.',
    arguments: { value: 'the SHA-256 of a file, or the GUID of a package, as `ph inspect` shows them' },
    options: { note: text('--note <text>', 'why, for those who read the list') },
    examples: [['admin denylist add 1F8E4A0B4D3C2A1B9E8D7C6B5A493827 --note "licence ended"', 'whatever is in the file']],
    async run(context, { value, note }) {
      const kind = kindOf(value)
      await withLibrary(context, async ({ api }) => {
        const denied = kind === 'content_hash' ? value.trim().toLowerCase() : value.trim()
        const made = await api.admin.deny({ kind, value: denied, ...(note === undefined ? {} : { note }) })
        context.out.result(made, `${printable(made.value)} may not be pushed any more. It is number ${made.id} on the denylist.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'admin denylist remove <id>',
    summary: 'Take something off the denylist',
    arguments: { id: 'its id, as `ph admin denylist list` shows it' },
    options: { yes: yesOption },
    examples: [['admin denylist remove 3', 'asks first']],
    async run(context, { id, yes }) {
      const wanted = wholeNumber('<id>', 1, Number.MAX_SAFE_INTEGER)(id)
      await withLibrary(context, async ({ api }) => {
        const found = (await api.admin.denylist()).denylist.find((one) => one.id === wanted)
        if (!found) throw new ApiError('NOT_FOUND', `There is nothing with the id ${wanted} on the denylist.`)
        const plan = `${printable(found.value)} could be pushed again${found.note === null ? '' : `, though it was denied: ${printable(found.note)}`}.`
        await confirmHarm(context, { yes, plan, details: { record: found }, question: 'Allow it?' })
        await api.admin.allow({ denylist_id: wanted })
        context.out.result({ record: found }, `${printable(found.value)} can be pushed again.`)
      })
      return undefined
    },
  }),
]

const kindWords = { content_hash: 'file', package_guid: 'package' } as const

const rows = (denylist: readonly DenylistRecord[], { out, now }: Context): string[] =>
  table(
    denylist,
    [
      { title: 'ID', value: ({ id }) => id, right: true },
      { title: 'WHAT', value: ({ kind }) => kindWords[kind] },
      { title: 'HASH OR GUID', value: ({ value }) => printable(value), cut: 'end' },
      { title: 'SINCE', value: ({ created_at }) => age(created_at, now()) },
      { title: 'NOTE', value: ({ note }) => printable(note ?? ''), cut: 'end' },
    ],
    out,
  )

function kindOf(value: string): DenylistRecord['kind'] {
  if (/^[0-9a-f]{64}$/i.test(value.trim())) return 'content_hash'
  if (/^[0-9A-F]{32}$/i.test(value.replaceAll(/[-{}\s]/g, ''))) return 'package_guid'
  throw wrongUsage(
    `${printable(value)} is neither a hash nor a GUID.`,
    'A hash has 64 hex digits, a GUID 32. `ph inspect` shows both of a file.',
  )
}
