/** Taking back check-outs, given or released, and pull jobs that nobody has claimed. */
import { limits } from '../../contract/limits.ts'
import type { Checkout, Lock } from '../../contract/locks.ts'
import { activeLocks, nameOfLocked } from '../entries/active-locks.ts'
import type { Api } from '../http/api.ts'
import { type Kept, type Part, propsIn, type Rows, stays, takenBack } from './row.ts'
import { undefinedWhereGone } from './who.ts'

/** A check-out as it is remembered. */
type Remembered = Pick<Lock, 'id' | 'lineage_id' | 'note' | 'expires_at'> & { name: string; holder: number; holder_name: string }

const remembered = (lock: Lock, name: string): Remembered => {
  const { id, lineage_id, note, expires_at, holder } = lock
  return { id, lineage_id, note, expires_at, name, holder: holder.id, holder_name: holder.display_name }
}

interface Taken {
  /** New ones. */
  taken: Remembered[]
  /** One's own whose end or note was changed, as they were. */
  moved: Remembered[]
  /** Those of other people that were taken from them. */
  stolen: Remembered[]
}

const byLineage = (locks: readonly Lock[]) => new Map(locks.map((lock) => [lock.lineage_id, lock]))
const nameOf = ({ suggested_filename }: Checkout): string => suggested_filename.replace(/\.[^.]*$/, '')

function keepTaken(got: readonly { lock: Lock; checkout: Checkout }[], before: readonly Lock[]): Kept<Taken> {
  const had = byLineage(before)
  const told = got.map(({ lock, checkout }) => ({ lock, name: nameOf(checkout), was: had.get(lock.lineage_id) }))
  const taken = told.filter(({ lock, was }) => was?.id !== lock.id).map(({ lock, name }) => remembered(lock, name))
  const moved = told.flatMap(({ lock, name, was }) => (was?.id === lock.id ? remembered(was, name) : []))
  const stolen = told.flatMap(({ lock, name, was }) => (was && was.id !== lock.id ? remembered(was, name) : []))
  return { what: `Checked out ${propsIn(told.map(({ name }) => name))}`, kept: { taken, moved, stolen } }
}

async function backTaken({ taken, moved, stolen }: Taken, api: Api): Promise<Part[]> {
  const now = byLineage(await locksBefore(api))
  const isThere = ({ lineage_id, id }: Remembered) => now.get(lineage_id)?.id === id
  const held = taken.filter(isThere)
  const names = propsIn(held.map(({ name }) => name))
  const release: Part[] =
    held.length > 0
      ? [{ what: `${names}: released`, act: () => api.locks.release({ lock_ids: held.map(({ id }) => id) }) }]
      : taken.length > 0
        ? [{ what: `${propsIn(taken.map(({ name }) => name))}: not checked out by you any more` }]
        : []
  const lost = stolen.map(
    ({ name, holder_name }): Part => ({
      what: `${name}: checked out by ${holder_name} again`,
      refused: `${name} was taken from ${holder_name}, and only ${holder_name} can check it out again.`,
    }),
  )
  return [...release, ...retaking(moved.filter(isThere), { api, verb: 'checked out as before' }), ...lost]
}

const locksBefore = async (api: Api): Promise<Lock[]> => (await activeLocks(api)).locks

const taking = takenBack('locks', 'batch', {
  before: locksBefore,
  keep: ({ answer: { locks }, before }) => keepTaken(locks, before),
  back: (kept, { api }) => backTaken(kept, api),
})

const takingOne = takenBack('locks', 'create', {
  before: locksBefore,
  keep: ({ answer, before }) => keepTaken([answer], before),
  back: (kept, { api }) => backTaken(kept, api),
})

/** With the note and the time that was left, in whole hours; those of the same terms in one call. */
function retaking(locks: readonly Remembered[], { api, verb }: { api: Api; verb: string }): Part[] {
  const hoursLeft = ({ expires_at }: Remembered) => Math.ceil((Date.parse(expires_at) - Date.now()) / 3_600_000)
  const over = locks
    .filter((lock) => hoursLeft(lock) <= 0)
    .map(({ name }): Part => ({ what: `${name}: ${verb}`, refused: `The time of that check-out of ${name} is over by now.` }))
  const open = locks.filter((lock) => hoursLeft(lock) > 0)
  const groups = Map.groupBy(open, (lock) => JSON.stringify([lock.note, hoursLeft(lock)]))
  return [...[...groups].map(([key, group]) => retake(key, group, { api, verb })), ...over]
}

function retake(key: string, group: readonly Remembered[], { api, verb }: { api: Api; verb: string }): Part {
  const [note, hours] = JSON.parse(key) as [string | null, number]
  const lineage_ids = group.map(({ lineage_id }) => lineage_id)
  const ttl_hours = Math.min(hours, limits.lock.hours)
  return {
    what: `${propsIn(group.map(({ name }) => name))}: ${verb}`,
    act: () => api.locks.batch({ lineage_ids, note, ttl_hours }),
  }
}

async function activeOf(api: Api, ids: readonly number[]): Promise<Remembered[]> {
  const asked = new Set(ids)
  const { locks: all, lineages } = await activeLocks(api)
  const locks = all.filter(({ id }) => asked.has(id))
  const named = new Map([...lineages].map(([id, on]) => [id, nameOfLocked(on)]))
  const unnamed = await namesOf(
    api,
    locks.flatMap(({ lineage_id }) => (named.get(lineage_id) ? [] : lineage_id)),
  )
  return locks.map((lock) => remembered(lock, named.get(lock.lineage_id) ?? unnamed.get(lock.lineage_id) ?? lock.lineage_id))
}

/** By lineage, of servers that do not say it: as entries are called; very many by their files, which takes one question. What is neither goes without. */
async function namesOf(api: Api, lineageIds: readonly string[]): Promise<Map<string, string>> {
  if (lineageIds.length === 0) return new Map()
  const found = await api.lineages.find({ lineage_ids: [...lineageIds] }).catch(() => undefined)
  const lineages = found?.lineages ?? []
  const files = lineages.flatMap(({ id, origin_path }) =>
    origin_path ? [[id, origin_path.split('/').at(-1) ?? id] as const] : [],
  )
  const entry_ids = lineages.flatMap(({ entry_id }) => entry_id ?? [])
  if (entry_ids.length === 0 || entry_ids.length > limits.page.max) return new Map(files)
  const { entries } = await api.entries.find({ entry_ids })
  return new Map([...files, ...entries.map(({ lineage_id, name }) => [lineage_id, name] as const)])
}

const keepReleased = (before: Remembered[]): Kept<{ released: Remembered[] }> | undefined =>
  before.length === 0 ? undefined : { what: `Released ${propsIn(before.map(({ name }) => name))}`, kept: { released: before } }

async function backReleased(released: readonly Remembered[], api: Api): Promise<Part[]> {
  const [locks, me] = [byLineage(await locksBefore(api)), await api.members.me()]
  const refusedFor = ({ name, holder, holder_name, lineage_id }: Remembered): string | undefined => {
    const now = locks.get(lineage_id)
    if (now && now.holder.id !== me.id) return `${now.holder.display_name} has ${name} checked out by now.`
    if (holder !== me.id) return `It was the check-out of ${holder_name}, and only ${holder_name} can take it again.`
    return undefined
  }
  const free = released.filter((lock) => refusedFor(lock) === undefined && !locks.has(lock.lineage_id))
  const mine = released.filter((lock) => refusedFor(lock) === undefined && locks.has(lock.lineage_id))
  const refused = released.flatMap((lock): Part[] => {
    const why = refusedFor(lock)
    return why === undefined ? [] : [{ what: `${lock.name}: checked out again`, refused: why }]
  })
  const already = mine.map(({ name }): Part => ({ what: `${name}: is checked out by you already` }))
  return [...retaking(free, { api, verb: 'checked out again' }), ...already, ...refused]
}

const releasing = takenBack('locks', 'release', {
  before: (api, { lock_ids }) => activeOf(api, lock_ids),
  keep: ({ before }) => keepReleased(before),
  back: ({ released }, { api }) => backReleased(released, api),
})

const releasingOne = takenBack('locks', 'remove', {
  before: (api, { lock_id }) => activeOf(api, [lock_id]),
  keep: ({ before }) => keepReleased(before),
  back: ({ released }, { api }) => backReleased(released, api),
})

const ordered = takenBack('pullJobs', 'create', {
  keep: ({ answer: { id, target_project, entry_count } }) => ({
    what: `Sent ${entry_count} ${entry_count === 1 ? 'prop' : 'props'} to ${target_project} (job ${id})`,
    kept: { id },
  }),
  async back({ id }, { api }) {
    const what = `job ${id}: cancelled`
    const job = await api.pullJobs.get({ job_id: id }).catch(undefinedWhereGone)
    if (!job) return [{ what: `job ${id}: is not in the library any more` }]
    if (job.status === 'cancelled') return [{ what: `job ${id}: is cancelled already` }]
    if (job.status !== 'queued')
      return [{ what, refused: `Job ${id} is ${job.status}: it was claimed, so it cannot be cancelled.` }]
    return [{ what, act: () => api.pullJobs.update({ job_id: id, status: 'cancelled' }) }]
  },
})

export const checkOuts: Rows = {
  ...taking,
  ...takingOne,
  ...releasing,
  ...releasingOne,
  ...ordered,
  ...stays('pullJobs', 'update', {
    stays: 'A job that has ended does not begin again. Send the props again.',
    what: ({ job_id, status }) => `Job ${job_id}: ${status}`,
  }),
}
