/** What a check-out would take, and what goes on around it. Changes nothing. */
import pLimit from 'p-limit'
import { isLevelPart, partWords } from '../../contract/level-parts.ts'
import { limits } from '../../contract/limits.ts'
import type { Asker, Lock, RadarLineage } from '../../contract/locks.ts'
import { ClientError } from '../client-error.ts'
import { askWho } from '../entries/active-locks.ts'
import { deletedBy } from '../entries/deletion.ts'
import type { Api } from '../http/api.ts'
import type { StatusFile } from '../status/report.ts'
import { addProps, findNamedProps, type LibraryProp, type NamedProp, type NamedProps, type Naming } from './named-props.ts'

export interface CheckOutPlan extends NamedProps {
  me: Asker
  /** By lineage, in the order of the props. */
  radar: RadarLineage[]
}

const requestsAtOnce = 8

/** Throws ClientError `NOT_IN_LIBRARY` for a named file that is no prop, `NOTHING_TO_CHECK_OUT`. */
export async function planCheckOut(references: readonly string[], naming: Naming & { closure: boolean }): Promise<CheckOutPlan> {
  const { api, closure } = naming
  const named = await findNamedProps(references, naming)
  if (named.unknown.length > 0) throw notInLibrary(named.unknown)
  for (const file of named.deleted) throw wasDeleted(file)
  for (const file of named.redirectors) throw isRedirector(file)
  if (named.props.length === 0) throw new ClientError('NOTHING_TO_CHECK_OUT', 'The library has no prop of what was named.')
  const props = closure ? await withNeeds(named, naming) : named.props
  return { ...named, props, ...(await readRadar(api, props)) }
}

/** What goes on around props, in their order, and who asks. */
export async function readRadar(api: Api, props: readonly NamedProp[]): Promise<Pick<CheckOutPlan, 'me' | 'radar'>> {
  const ask = (batch: NamedProp[]) => api.locks.radar({ lineage_ids: batch.map(({ lineage_id }) => lineage_id) })
  const answers = await Promise.all(batchesOf(props).map(ask))
  const me = answers[0]?.you ?? (await askWho(api))
  return { me, radar: answers.flatMap(({ lineages }) => lineages) }
}

/** As many as one call about locks takes. */
export function batchesOf<T>(list: readonly T[]): T[][] {
  const { many } = limits.lock
  return Array.from({ length: Math.ceil(list.length / many) }, (_, at) => list.slice(at * many, (at + 1) * many))
}

/** What is needed by several of them counts once. */
async function withNeeds(named: NamedProps, naming: Naming): Promise<NamedProp[]> {
  const { api } = naming
  const props = new Map(named.props.map((prop) => [prop.lineage_id, prop]))
  const atOnce = pLimit(requestsAtOnce)
  const entryIds = named.props.flatMap(({ entry_id }) => entry_id ?? [])
  const found = await atOnce.map(entryIds, async (entry_id) => {
    const { members } = await api.entries.closure({ entry_id, dependencies: 'current' })
    const others = new Map(members.map((member) => [member.lineage_id, member]))
    for (const id of others.keys()) if (props.has(id)) others.delete(id)
    return [...others.values()]
  })
  const needs = new Map<string, LibraryProp>()
  for (const { lineage_id, entry_id, asset_name, origin_path, label, ...filed } of found.flat()) {
    const part =
      origin_path !== null && isLevelPart(origin_path) ? { path: origin_path, asset_class: filed.asset_class, label } : undefined
    const name = (part && partWords(part)) ?? asset_name ?? origin_path?.split('/').at(-1) ?? lineage_id
    needs.set(lineage_id, { prop: { lineage_id, entry_id, name, origin_path, is_needed: true }, filed })
  }
  await addProps(props, [...needs.values()], { ...naming, root: named.root })
  return [...props.values()]
}

const mostFiles = 5

function notInLibrary(files: readonly string[]): ClientError {
  const more = files.length > mostFiles ? ` and ${files.length - mostFiles} more` : ''
  const [is, it] = files.length === 1 ? ['is', 'it'] : ['are', 'them']
  return new ClientError(
    'NOT_IN_LIBRARY',
    `${files.slice(0, mostFiles).join(', ')}${more} ${is} not in the library. Nothing was checked out.`,
    { details: { files }, next: `Only what the library has can be checked out: push ${it} first, or name other files.` },
  )
}

function wasDeleted({ file, deleted }: StatusFile): ClientError {
  const who = deleted ? ` ${deletedBy(deleted)}` : ''
  return new ClientError('NOT_IN_LIBRARY', `${file} was deleted in the library${who}. Nothing was checked out.`, {
    details: { files: [file] },
    next: 'To bring it back as a new prop: `ph push <file> --held new`',
  })
}

function isRedirector({ file, redirects_to: target }: StatusFile): ClientError {
  const [, below] = /^\/Game\/(.+)$/i.exec(target ?? '') ?? []
  return new ClientError(
    'NOT_IN_LIBRARY',
    `${file} is a redirector${target ? ` to ${target}` : ''}, which a rename left behind, and no prop. Nothing was checked out.`,
    {
      details: { files: [file] },
      next: below ? `Name the file that it leads to: Content/${below}.uasset` : 'Name the file that it leads to.',
    },
  )
}

/** The locks of others on what is to be checked out. */
export const heldByOthers = ({ radar, me }: Pick<CheckOutPlan, 'radar' | 'me'>): Lock[] =>
  radar.flatMap(({ locks }) =>
    locks.flatMap(({ lock, relation }) => (relation === 'self' && lock.holder.id !== me.id ? lock : [])),
  )

/** The lineages that who asks has checked out already. */
export const heldByMe = ({ radar, me }: Pick<CheckOutPlan, 'radar' | 'me'>): Set<string> =>
  new Set(
    radar.flatMap(({ lineage_id, locks }) =>
      locks.some(({ lock, relation }) => relation === 'self' && lock.holder.id === me.id) ? lineage_id : [],
    ),
  )
