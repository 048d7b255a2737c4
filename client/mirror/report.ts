/** How a mirror is, as the agent and `ph mirror status` tell it (contract/agent-mirror.ts). */
import type { MirrorReport } from '../../contract/agent-mirror.ts'
import type { Mirror } from './mirror.ts'

export function mirrorReport(mirror: Mirror, nowMs = Date.now()): MirrorReport {
  const { state, head } = mirror.standing
  const { syncedAt } = mirror
  const cursor = mirror.meta('cursor') ?? null
  return {
    state: state === 'current' && cursor !== null && head !== null && head > cursor ? 'behind' : state,
    cursor,
    head,
    lag_seconds: lag(state === 'current' && head === cursor, syncedAt, nowMs),
    entries: mirror.guard(() => (mirror.db?.prepare('select count(*) from entries').pluck().get() as number | undefined) ?? 0),
  }
}

/** Nothing while it is known to be as the library. */
function lag(isCurrent: boolean, syncedAt: number | undefined, nowMs: number): number | null {
  if (syncedAt === undefined) return null
  return isCurrent ? 0 : Math.max(0, Math.round((nowMs - syncedAt) / 1000))
}
