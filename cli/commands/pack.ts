/** `ph pack`: where entries came from. */
import type { Pack } from '../../contract/packs.ts'
import { printable } from '../../system/printable.ts'
import { command, flag, text, value } from '../command.ts'
import type { Context } from '../context.ts'
import { requireAdmin } from '../entries/key-rights.ts'
import { packsOf, requirePack } from '../entries/pack-list.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { count, size } from '../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../terminal/confirmation.ts'
import { table } from '../terminal/table.ts'

const packArgument = 'its name, or its id'
const facts = {
  sourcePath: text('--source-path <path>', 'where its files lie'),
  engineVersion: value('--engine-version <version>', 'the engine it was made for, such as 5.4.2', readEngineVersion),
  productUrl: value('--product-url <address>', 'the web page where it is sold or described', readWebAddress),
  notes: text('--notes <text>', 'anything else'),
}
const sourceType = text('--source-type <type>', 'what its files are: uasset (default), fbx …')

export const commands = [
  command({
    usage: 'pack list',
    summary: 'List the packs',
    examples: [['pack list', 'all of them by name']],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const packs = await packsOf(api)
        context.out.result({ packs }, () => (packs.length === 0 ? 'No packs.' : packTable(packs, context)))
      })
      return undefined
    },
  }),
  command({
    usage: 'pack show <pack>',
    summary: 'Show the facts of a pack',
    arguments: { pack: packArgument },
    examples: [['pack show Medieval', 'where it is from, and how much of it is here']],
    async run(context, { pack: reference }) {
      await withLibrary(context, async ({ api }) => {
        const pack = await requirePack(api, reference)
        context.out.result(pack, () => packWords(pack, context))
      })
      return undefined
    },
  }),
  command({
    usage: 'pack create <name>',
    summary: 'Make a pack before anything is pushed into it',
    options: { sourceType, ...facts },
    examples: [['pack create Medieval --product-url https://example.com/medieval', 'a pack that was bought']],
    exits: ['conflict'],
    async run(context, { name, ...given }) {
      await withLibrary(context, async ({ api }) => {
        const made = await api.packs.create({ name, ...fieldsOf(given) })
        context.out.result(made, `Made the pack ${printable(made.name)} (${made.id}).`)
      })
      return undefined
    },
  }),
  command({
    usage: 'pack edit <pack>',
    summary: 'Rename a pack, or change its facts',
    description: 'An empty text takes a fact away.',
    arguments: { pack: packArgument },
    options: { name: text('--name <name>', 'its new name'), sourceType, ...facts },
    examples: [['pack edit Medieval --name "Medieval Village" --notes ""', 'another name, no notes']],
    exits: ['conflict'],
    async run(context, { pack: reference, name, ...given }) {
      const fields = { ...(name === undefined ? {} : { name }), ...fieldsOf(given) }
      if (Object.keys(fields).length === 0)
        throw wrongUsage('There is nothing to change.', 'Give --name, --notes or another of its facts.')
      await withLibrary(context, async ({ api }) => {
        const { id } = await requirePack(api, reference)
        const changed = await api.packs.update({ pack_id: id, ...fields })
        context.out.result(changed, () => packWords(changed, context))
      })
      return undefined
    },
  }),
  command({
    usage: 'pack delete <pack>',
    summary: 'Delete a pack with its entries and files, when nothing in it was ever pulled (admins only)',
    description: 'Files that something else needs stay, in the pack of what needs them.',
    arguments: { pack: packArgument },
    options: { dryRun: flag('--dry-run', 'only show what the pack holds'), yes: yesOption },
    examples: [['pack delete Medieval --dry-run', 'see how much it is first']],
    exits: ['conflict'],
    async run(context, { pack: reference, dryRun, yes }) {
      await withLibrary(context, async ({ api }) => {
        const pack = await requirePack(api, reference)
        const plan = packWords(pack, context)
        if (dryRun) return context.out.result({ dry_run: true, pack }, [...plan, '', 'Nothing was changed.'])
        await requireAdmin(api, 'delete packs')
        const question = `Delete the pack ${printable(pack.name)} with everything in it, for good?`
        await confirmHarm(context, { yes, plan, details: { pack }, question })
        const gone = await api.packs.remove({ pack_id: pack.id })
        const entries = count(gone.deleted_entries, 'entry', 'entries')
        const what = `${entries}, ${count(gone.deleted_objects, 'version')}, ${size(gone.storage.unused_bytes)}`
        const kept = gone.kept_shared_objects
        const stayed = kept > 0 ? `\n${count(kept, 'version')} that something else needs stayed.` : ''
        context.out.result({ dry_run: false, ...gone }, `Deleted the pack ${printable(gone.name)}: ${what}.${stayed}`)
      })
      return undefined
    },
  }),
]

/** An empty text takes the fact away. */
function readEngineVersion(given: string): string {
  if (/^(\d{1,3}(\.\d{1,4}){1,2})?$/.test(given)) return given
  throw wrongUsage(`"${given}" is not an engine version.`, 'Write it in numbers: --engine-version 5.4 or 5.4.2')
}

function readWebAddress(given: string): string {
  if (given === '' || (/^https?:\/\//i.test(given) && URL.canParse(given))) return given
  throw wrongUsage(`"${given}" is not the address of a web page.`, 'Write it whole: --product-url https://example.com/medieval')
}

interface Given {
  sourceType?: string | undefined
  sourcePath?: string | undefined
  engineVersion?: string | undefined
  productUrl?: string | undefined
  notes?: string | undefined
}

/** Only what was given; an empty text means none. */
function fieldsOf({ sourceType: source_type, sourcePath, engineVersion, productUrl, notes }: Given) {
  const said = { source_path: sourcePath, engine_version: engineVersion, product_url: productUrl, notes }
  const known = Object.entries(said).flatMap(([field, value]) => (value === undefined ? [] : [[field, value || null]]))
  return { ...(source_type === undefined ? {} : { source_type }), ...Object.fromEntries(known) } as { source_type?: string } & {
    [field in keyof typeof said]?: string | null
  }
}

const packTable = (packs: readonly Pack[], { out }: Context): string[] =>
  table(
    packs,
    [
      { title: 'ID', value: (pack) => pack.id, right: true },
      { title: 'NAME', value: (pack) => pack.name, cut: 'end' },
      { title: 'ENTRIES', value: (pack) => pack.entry_count, right: true },
      { title: 'VERSIONS', value: (pack) => pack.object_count, right: true },
      { title: 'NOTES', value: (pack) => pack.notes ?? '-', cut: 'end', spare: true },
    ],
    out,
  )

const packWords = (pack: Pack, { out }: Context): string[] => [
  `${out.paint('bold', printable(pack.name))} (${pack.id}): ${count(pack.entry_count, 'entry', 'entries')}, ${count(pack.object_count, 'version')}`,
  ...[
    ['Files', pack.source_type],
    ['From', pack.source_path],
    ['Engine', pack.engine_version],
    ['Product', pack.product_url],
    ['Notes', pack.notes],
  ].flatMap(([title, value]) => (value ? [`${title}: ${printable(value)}`] : [])),
]
