/** Who has what checked out now (spec 4.4; contract-gaps 9). */
import { partWords } from '../../contract/level-parts.ts'
import { limits } from '../../contract/limits.ts'
import type { Asker, Lock, LockedLineage } from '../../contract/locks.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'

type LockCalls = Pick<Api, 'locks'>

/** Those of everyone, newest first, and who asks where the server says it. Servers without cursors answer the newest 200. */
export const activeLocks = (api: LockCalls): Promise<Locks> => readLocks(api, { active: true })

/** Those of who asks. */
export async function ownLocks(api: LockCalls & AskerCalls): Promise<Locks & { you: Asker }> {
  const { locks, lineages, you = await askWho(api) } = await readLocks(api, { active: true, mine: true })
  return { locks: locks.filter(({ holder }) => holder.id === you.id), lineages, you }
}

export interface Locks {
  locks: Lock[]
  /** What they are on, by lineage; empty where the server does not say it. */
  lineages: Map<string, LockedLineage>
  you?: Asker | undefined
}

/** Null where it is called nothing. */
export const nameOfLocked = ({ name, part }: Pick<LockedLineage, 'name' | 'part'>): string | null =>
  part ? partWords(part) : name

async function readLocks(api: LockCalls, question: { active: true; mine?: true }): Promise<Locks> {
  const found = new Map<number, Lock>()
  const lineages = new Map<string, LockedLineage>()
  let you: Asker | undefined
  const ask = (cursor: string | undefined) =>
    api.locks.list({ ...question, limit: limits.page.max, ...(cursor ? { cursor: Number(cursor) } : {}) })
  for await (const page of pagesOf(ask)) {
    you = page.you
    for (const lineage of page.lineages ?? []) lineages.set(lineage.lineage_id, lineage)
    for (const lock of page.locks) if (lock.active) found.set(lock.id, lock)
  }
  return { locks: [...found.values()], lineages, you }
}

interface AskerCalls {
  identity: Pick<Api['identity'], 'me'>
  members: Pick<Api['members'], 'me'>
}

/** Who asks, of servers that do not say it beside their locks. */
export async function askWho({ identity, members }: AskerCalls): Promise<Asker> {
  const [{ scope }, { id, role }] = await Promise.all([identity.me(), members.me()])
  return { id, role, scope }
}
