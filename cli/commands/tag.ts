/** `ph tag`: words on entries. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import { printable } from '../../system/printable.ts'
import { command, flag, text } from '../command.ts'
import { changeAll } from '../entries/bulk.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { allOf, requireNamed } from '../entries/named-record.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../terminal/confirmation.ts'
import { table } from '../terminal/table.ts'

const dryRun = flag('--dry-run', 'only show what would change')
const tagArgument = 'its name, or its id'

export const commands = [
  command({
    usage: 'tag list',
    summary: 'List the tags, with how many entries have them',
    examples: [
      ['tag list', 'all of them by name'],
      ['tag list --json | jq -r ".tags[].name"', 'names for a script'],
    ],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const tags = await tagsOf(api)
        context.out.result({ tags }, () =>
          tags.length === 0
            ? 'No tags.'
            : table(
                tags,
                [
                  { title: 'ID', value: (tag) => tag.id, right: true },
                  { title: 'NAME', value: (tag) => tag.name, cut: 'end' },
                  { title: 'COLOR', value: (tag) => tag.color ?? '-' },
                  { title: 'ENTRIES', value: (tag) => tag.entry_count, right: true },
                ],
                context.out,
              ),
        )
      })
      return undefined
    },
  }),
  tagging({ verb: 'add', summary: 'Put a tag on entries', example: ['tag add oak SM_Barrel SM_Stool', 'on two props'] }),
  tagging({ verb: 'remove', summary: 'Take a tag off entries', example: ['tag remove oak SM_Barrel', 'off one prop'] }),
  command({
    usage: 'tag create <name>',
    summary: 'Make a tag',
    options: { color: text('--color <color>', 'its color, as #rrggbb') },
    examples: [['tag create oak --color "#8b5a2b"', 'a tag with a color']],
    exits: ['conflict'],
    async run(context, { name, color }) {
      await withLibrary(context, async ({ api }) => {
        const tag = await api.tags.create({ name, color: readColor(color) })
        context.out.result(tag, `Made the tag ${printable(tag.name)} (${tag.id}).`)
      })
      return undefined
    },
  }),
  command({
    usage: 'tag edit <tag>',
    summary: 'Rename a tag, or give it another color',
    arguments: { tag: tagArgument },
    options: {
      name: text('--name <name>', 'its new name'),
      color: text('--color <color>', 'its new color, as #rrggbb; none takes it away'),
    },
    examples: [['tag edit oak --name "dark oak" --color none', 'another name and no color']],
    exits: ['conflict'],
    async run(context, { tag: reference, name, color }) {
      if (name === undefined && color === undefined)
        throw wrongUsage('There is nothing to change.', 'Give --name, --color, or both.')
      await withLibrary(context, async ({ api }) => {
        const { id } = await requireTag(api, reference)
        const changed = await api.tags.update({ tag_id: id, name, color: color === 'none' ? null : readColor(color) })
        context.out.result(changed, `Changed the tag ${printable(changed.name)}; its color is ${changed.color ?? 'none'}.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'tag delete <tag>',
    summary: 'Delete a tag, and take it off every entry',
    arguments: { tag: tagArgument },
    options: { dryRun, yes: yesOption },
    examples: [['tag delete oak --dry-run', 'see how many entries have it']],
    async run(context, { tag: reference, dryRun: isDry, yes }) {
      await withLibrary(context, async ({ api }) => {
        const tag = await requireTag(api, reference)
        const entries = count(tag.entry_count, 'entry', 'entries')
        const plan = `The tag ${printable(tag.name)} would be deleted, and taken off ${entries}.`
        if (isDry) return context.out.result({ dry_run: true, tag }, plan)
        await requireWriter(api)
        await confirmHarm(context, { yes, plan, details: { tag }, question: 'Delete it?' })
        await api.tags.remove({ tag_id: tag.id })
        context.out.result({ dry_run: false, tag }, `The tag ${printable(tag.name)} is deleted; it was on ${entries}.`)
      })
      return undefined
    },
  }),
]

interface Tagging {
  verb: 'add' | 'remove'
  summary: string
  example: readonly [string, string]
}

function tagging({ verb, summary, example }: Tagging) {
  const isAdding = verb === 'add'
  return command({
    usage: `tag ${verb} <tag> <entries...>` as 'tag add <tag> <entries...>',
    summary,
    arguments: { tag: tagArgument, entries: entriesArgument },
    options: isAdding ? { dryRun, create: flag('--create', 'make the tag when there is none') } : { dryRun },
    examples: [example, [`search oak --ids | ph tag ${verb} oak -`, 'all that a search finds']],
    async run(context, input: { tag: string; entries: string[]; dryRun: boolean; create?: boolean }) {
      const references = await readEntryList(context, input.entries)
      await withLibrary(context, async ({ api }) => {
        const ids = await requireEntryIds(api, references)
        const tag = await tagToUse(api, input)
        const has = (tags: readonly { id: number }[]) => tags.some(({ id }) => id === tag.id)
        const word = isAdding ? 'gets' : 'loses'
        await changeAll(context, api, {
          ids,
          dryRun: input.dryRun,
          change: ({ tags }) => (has(tags) === isAdding ? undefined : `${word} the tag ${tag.name}`),
          send: async (entry_ids) => api.tags.bulk({ tag_id: tag.id ?? 0, entry_ids, action: verb }),
          done: (props) =>
            isAdding ? `Tagged ${props} with ${printable(tag.name)}.` : `Took the tag ${printable(tag.name)} off ${props}.`,
          more: () => ({ tag_id: tag.id, action: verb }),
        })
      })
      return undefined
    },
  })
}

/** With `--create` a missing one is made; a dry run makes none and goes on as if there were one. */
async function tagToUse(api: Api, { tag: name, create, dryRun: isDry }: { tag: string; create?: boolean; dryRun: boolean }) {
  const tags = await tagsOf(api)
  const isMissing = !tags.some((tag) => tag.name.toLowerCase() === name.toLowerCase())
  const makeBy = create === false ? '--create' : undefined
  if (!create || !isMissing) return requireNamed(tags, name, { noun: 'tag', list: 'tag list', makeBy })
  return isDry ? { id: null, name } : api.tags.create({ name })
}

const tagsOf = (api: Api) =>
  allOf(async (page) => {
    const { tags, next_cursor } = await api.tags.list(page)
    return { items: tags, next_cursor }
  })

const requireTag = async (api: Api, reference: string) =>
  requireNamed(await tagsOf(api), reference, { noun: 'tag', list: 'tag list' })

function readColor(given: string | undefined): string | undefined {
  if (given === undefined || /^#[0-9a-fA-F]{6}$/.test(given)) return given
  throw wrongUsage(`${given} is not a color.`, 'Write it as #rrggbb, in quotes: --color "#8b5a2b"')
}
