/** What fits an argument as far as it was typed: of the addresses of resources, and of prompts. */
import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/server'
import { printable } from '../../system/printable.ts'
import { own } from '../tools/said.ts'
import type { Ask } from '../tools/tool.ts'
import type { Reached } from './assistant.ts'
import { wrongArgument } from './failures.ts'
import { prompts } from './prompts.ts'
import { entryIdOf } from './references.ts'
import { templates } from './resources.ts'

/** Arguments that were given before. */
type Before = Record<string, string>
type Complete = (ask: Ask, typed: string, before: Before) => Promise<string[]>

const many = 20
const longest = 200

/** By the address of a template, or the name of a prompt, and its argument. */
const completions: Record<string, Complete> = {
  'ph://entry/{id} id': entryIds,
  'ph://entry/{id}/thumbnail id': entryIds,
  'ph://entry/{id}/closure id': entryIds,
  'ph://review/{id} id': reviewIds,
  'find_prop category': categories,
  'review_version prop': propNames,
  'review_version version': versions,
  'prepare_check_in prop': ownCheckOuts,
}

/** Throws ProtocolError for what has no such argument. */
export async function complete({ ask }: Reached, { ref, argument, context }: CompleteRequest['params']): Promise<CompleteResult> {
  const of = ref.type === 'ref/prompt' ? ref.name : ref.uri
  const isThere = ref.type === 'ref/prompt' ? Object.hasOwn(prompts, of) : templates.some(({ uriTemplate }) => uriTemplate === of)
  if (!isThere) throw wrongArgument(own`There is no prompt and no resource template of that name.`)
  const found = await completions[`${of} ${argument.name}`]?.(
    ask,
    argument.value.trim().slice(0, longest),
    context?.arguments ?? {},
  )
  const values = [...new Set(found?.filter(isPlain))].slice(0, many)
  return { completion: { values, hasMore: (found?.length ?? 0) > many } }
}

/** One line that is all there to be seen, and can be typed. */
const isPlain = (value: string): boolean => value.length <= longest && value.trim() === value && printable(value) === value

async function entriesFor(ask: Ask, typed: string) {
  return (await ask('entries', 'list', { ...(typed === '' ? {} : { q: typed }), limit: many })).entries
}

/** The beginning of an id, or words of a name. */
async function entryIds(ask: Ask, typed: string): Promise<string[]> {
  if (/^\d{1,15}$/.test(typed)) {
    const { entries } = await ask('entries', 'find', { entry_ids: [Number(typed)] })
    if (entries.length > 0) return [typed]
  }
  return (await entriesFor(ask, typed)).map(({ id }) => String(id))
}

async function propNames(ask: Ask, typed: string): Promise<string[]> {
  return namesOf(await entriesFor(ask, typed))
}

/** A name that several have would not say which, and a name in which something hides would say another: then it is the id. */
function namesOf(entries: readonly { id: number; name: string }[]): string[] {
  const times = Map.groupBy(entries, ({ name }) => name)
  return entries.map(({ id, name }) => (isPlain(name) && times.get(name)?.length === 1 ? name : String(id)))
}

async function versions(ask: Ask, typed: string, { prop = '' }: Before): Promise<string[]> {
  if (prop === '') return []
  const { lineage_id } = await ask('entries', 'get', { entry_id: await entryIdOf(ask, prop) })
  const { objects } = await ask('lineages', 'get', { lineage_id })
  return objects.map(({ version }) => String(version)).filter((version) => version.startsWith(typed))
}

async function categories(ask: Ask, typed: string): Promise<string[]> {
  const { categories: all } = await ask('categories', 'rollup', {})
  const names = all.flatMap(({ category }) => category ?? [])
  return names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()))
}

async function reviewIds(ask: Ask, typed: string): Promise<string[]> {
  const { requests } = await ask('reviewRequests', 'list', { view: 'all', status: 'open', limit: 100 })
  return requests.map(({ id }) => String(id)).filter((id) => id.startsWith(typed))
}

/** Names of what this person has checked out. */
async function ownCheckOuts(ask: Ask, typed: string): Promise<string[]> {
  const me = await ask('members', 'me', {})
  const { locks } = await ask('locks', 'list', { holder: me.id, active: true, limit: 100 })
  if (locks.length === 0) return []
  const { lineages } = await ask('lineages', 'find', { lineage_ids: locks.map(({ lineage_id }) => lineage_id) })
  const ids = lineages.flatMap(({ entry_id }) => entry_id ?? [])
  if (ids.length === 0) return []
  const { entries } = await ask('entries', 'find', { entry_ids: ids })
  return namesOf(entries.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())))
}
