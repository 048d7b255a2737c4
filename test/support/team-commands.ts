/** What people of a team do with `ph`, each looked at for what a team relies on. */
import type { Json } from './api.ts'
import { inconsistent, wrongActors } from './team-checks.ts'
import { hashOf } from './team-machine.ts'
import type { Found, Turn } from './team-turn.ts'

/** What is another game's too is answered, mostly as a prop of this one alone; all else that is held stays so. */
export async function push(turn: Turn): Promise<Found> {
  const fault = await turn.command('push')
  if (fault !== undefined) return fault
  const { items } = JSON.parse((await turn.machine.run('push --dry-run')).stdout)
  const asked = (items as Json[]).filter(({ status, reason = '' }) => status === 'held' && !reason.startsWith('depends_on_'))
  if (asked.length === 0 || asked.some(({ reason }) => reason !== 'other_projects')) return undefined
  return turn.command(`push --held ${turn.random(5) === 0 ? 'attach' : 'new'}`)
}

/** The level with all that it needs; or all that is here and not current, or was never here. */
export async function getLatest(turn: Turn): Promise<Found> {
  const ways = [`pull ${turn.levelName}`, `pull ${turn.levelName}`, 'pull', 'pull --all --yes']
  const line = turn.has(turn.level) ? (turn.pick(ways) ?? '') : `pull ${turn.levelName}`
  const { fault, stdout } = await turn.answer(line)
  if (fault !== undefined) return fault
  return (await inconsistent(turn.api, turn.machine, stdout)) ?? wrongActors(turn.api, turn.machine, stdout)
}

export async function restore(turn: Turn): Promise<Found> {
  const entry = turn.pick(await turn.entries)
  if (!entry) return undefined
  const { body } = await turn.api.get(`/lineages/${entry.lineage_id}`)
  if ((body.objects?.length ?? 0) < 2) return undefined
  const version = turn.pick(body.objects as Json[])?.version
  return turn.command(`restore ${entry.id} --version v${version}`)
}

/** Mostly what nobody ever pulled: all else is refused. */
export async function deleteEntry(turn: Turn): Promise<Found> {
  if (!turn.machine.isAdmin) return undefined
  const newest = (await turn.entries).toSorted((a, b) => b.id - a.id).slice(0, 6)
  const details = await Promise.all(newest.map(async ({ id }) => (await turn.api.get(`/entries/${id}`)).body))
  const fresh = details.filter((one) => !one.ever_pulled)
  const entry = turn.pick(fresh.length > 0 && turn.random(5) > 0 ? fresh : details)
  return entry && turn.command(`delete ${entry.id} --yes`, { takesVersions: true })
}

/** The last change that was made from this machine; often there is none, or it was a deletion. What comes back out of a backup is wanted here. */
export async function undo(turn: Turn): Promise<Found> {
  const { machine } = turn
  const before = new Set(machine.packages)
  const fault = await turn.command('undo --yes', { takesVersions: true, refusals: ['NOTHING_TO_UNDO', 'NOT_UNDOABLE'] })
  for (const file of machine.packages) if (!before.has(file)) machine.saved.set(file, hashOf(machine.read(file)))
  return fault
}

/** What is checked out is edited, checked in or given back by whoever has it; others are refused meanwhile. */
export async function useLocks(turn: Turn): Promise<Found> {
  const { locks } = JSON.parse((await turn.machine.run('status --json')).stdout)
  const mine = turn.pick((locks as Json[]).filter((one) => one.mine && turn.has(one.file)))
  if (mine) {
    const kind = turn.random(3)
    if (kind === 0 && mine.file.endsWith('.uasset')) await turn.machine.save({ [mine.file]: turn.specOf(mine.file) })
    return turn.command(kind === 1 ? `release ${mine.file}` : `checkin ${mine.file}`)
  }
  const file = turn.pick([...turn.props, turn.level].filter((one) => turn.has(one)))
  // What was never pushed cannot be checked out.
  return file && turn.command(`checkout ${file}${turn.random(2) === 0 ? ' --pull' : ''}`, { refusals: ['NOT_IN_LIBRARY'] })
}

/** A prop of one game for one of the two; whoever gets the latest of that one without names brings it. */
export async function send(turn: Turn): Promise<Found> {
  const entry = turn.pick(await turn.entries)
  const project = turn.pick(['Tavern', 'Castle'])
  return entry && turn.command(`send ${entry.id} --project ${project}`)
}
