/** How the files of the projects stand, as they change. */
import type { WatchReport } from '../../contract/agent.ts'

export class Watching {
  report(_root: string): WatchReport {
    return { state: 'off', files: 0, changed: 0, outdated: 0, held: 0 }
  }
}
