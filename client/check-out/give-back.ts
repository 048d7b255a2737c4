/** The end of check-outs: released as they are, or after a push, as far as what was changed is in the library by then. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Asker, Lock } from '../../contract/locks.ts'
import { ownLocks } from '../entries/active-locks.ts'
import type { Api } from '../http/api.ts'
import type { PushedItem, PushReport } from '../push/report.ts'
import type { StatusFile } from '../status/report.ts'
import { status } from '../status/status.ts'
import type { NamedProp, NamedProps, Naming } from './named-props.ts'
import { batchesOf, readRadar } from './plan.ts'

/** A check-out with the prop that it is of. */
export interface HeldProp {
  lineage_id: string
  entry_id: number | null
  name: string
  /** Below the project's root, with `/`. */
  files: string[]
  lock: Lock
}

/** Check-outs, and who asks for them. */
export interface Held {
  held: HeldProp[]
  me: Asker
}

/** Of these props, those that are checked out, by whomever. */
export async function findHeld(api: Api, props: readonly NamedProp[]): Promise<Held> {
  const { me, radar } = await readRadar(api, props)
  const locks = new Map(
    radar.map(({ lineage_id, locks: around }) => [lineage_id, around.find(({ relation }) => relation === 'self')?.lock]),
  )
  return { held: props.flatMap((prop) => heldOf(prop, locks.get(prop.lineage_id))), me }
}

const heldOf = ({ lineage_id, entry_id, name, files }: NamedProp, lock: Lock | undefined): HeldProp[] =>
  lock ? [{ lineage_id, entry_id, name, files: files.map(({ file }) => file), lock }] : []

/** All of up to 1,000 or none. Says how many were active until now. */
export async function releaseHeld(api: Api, held: readonly { lock: Lock }[]): Promise<number> {
  let released = 0
  for (const batch of batchesOf(held))
    released += (await api.locks.release({ lock_ids: batch.map(({ lock }) => lock.id) })).released
  return released
}

/**
 * Why it stays checked out. `kept`: it was to be. `modified`: the library does not have what is here. The others as a push says them:
 * `held`, `denied`, `locked`, `outdated`, `failed`; `deleted`: held, because the prop was deleted from the library.
 */
export type StaysBecause = 'kept' | 'modified' | 'deleted' | 'held' | 'denied' | 'locked' | 'outdated' | 'failed'

export interface StillHeld extends HeldProp {
  because: StaysBecause
}

export interface CheckedIn {
  released: HeldProp[]
  still_checked_out: StillHeld[]
  /** Of what was named, files that were not checked out by who asks: they were pushed like any other. */
  not_checked_out: string[]
  /** How many other check-outs who asks has. */
  others: number
}

/** After a push of what was named: releases what is in the library as it is here. */
export async function giveBack(
  { props, paths }: Pick<NamedProps, 'props' | 'paths'>,
  { push, keep, ...naming }: Naming & { push: PushReport; keep: boolean },
): Promise<CheckedIn> {
  const { api, wire, cwd } = naming
  const { locks: mine } = await ownLocks(api)
  const locks = new Map(mine.map((lock) => [lock.lineage_id, lock]))
  const pushed = [...paths, ...props.flatMap(({ files }) => files.map(({ file }) => join(push.root, file)))]
  const here = [...new Set(pushed)].filter((path) => existsSync(path))
  const { files } = await status({ ...wire, paths: here, cwd, all: true, filesOnly: true })
  const now = Map.groupBy(
    files.filter(({ state }) => state !== 'missing'),
    ({ lineage_id }) => lineage_id,
  )
  const named = new Set([...props.map(({ lineage_id }) => lineage_id), ...now.keys()])
  const held = [...named].flatMap((lineageId) => {
    const lock = locks.get(lineageId ?? '')
    const known = props.find(({ lineage_id }) => lineage_id === lineageId)
    const list = now.get(lineageId) ?? []
    return lineageId !== null && lock ? [{ lock, list, prop: describe(lineageId, { known, list, lock }) }] : []
  })
  const items = new Map(push.items.flatMap((item) => [item.file, ...item.copies].map((file) => [file, item] as const)))
  const judged = held.map(({ prop, list }) => ({ ...prop, because: keep ? 'kept' : whyNot(prop, { list, items }) }))
  const released = judged.flatMap(({ because, ...prop }) => (because === undefined ? [prop] : []))
  await releaseHeld(api, released)
  const isHeld = new Set(held.map(({ prop }) => prop.lineage_id))
  return {
    released,
    still_checked_out: judged.filter((one): one is StillHeld => one.because !== undefined),
    not_checked_out: files.flatMap(({ file, state, lineage_id }) =>
      state === 'missing' || state === 'redirector' || isHeld.has(lineage_id ?? '') ? [] : file,
    ),
    others: mine.length - held.length,
  }
}

function describe(
  lineageId: string,
  { known, list, lock }: { known: NamedProp | undefined; list: readonly StatusFile[]; lock: Lock },
): HeldProp {
  const files = [...new Set([...(known?.files ?? []), ...list].map(({ file }) => file))]
  const entry_id = list[0]?.entry_id ?? known?.entry_id ?? null
  const name =
    known?.name ??
    files[0]
      ?.split('/')
      .at(-1)
      ?.replace(/\.[^.]*$/, '') ??
    lineageId
  return { lineage_id: lineageId, entry_id, name, files, lock }
}

/** Undefined where the library has what is here: the current version, or one that nobody touched since it was pulled. */
function whyNot(
  { files }: HeldProp,
  { list, items }: { list: readonly StatusFile[]; items: ReadonlyMap<string, PushedItem> },
): StaysBecause | undefined {
  const isIn = list.length > 0 && list.every(({ state }) => state === 'current' || state === 'outdated')
  if (isIn) return undefined
  if (files.some((file) => items.get(file)?.deleted)) return 'deleted'
  const statuses = files.flatMap((file) => items.get(file)?.status ?? [])
  return statuses.find((one) => one !== 'new' && one !== 'dedup') ?? 'modified'
}
