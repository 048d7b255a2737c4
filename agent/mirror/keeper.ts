/** Keeps the mirror of the catalog up to date. */
import type { MirrorReport } from '../../contract/agent-mirror.ts'

export class MirrorKeeper {
  report(): MirrorReport {
    return { state: 'offline', cursor: null, head: null, lag_seconds: null, entries: 0 }
  }
}
