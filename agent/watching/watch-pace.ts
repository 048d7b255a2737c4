/** How often a watched project is looked at, and the library asked about it. */

/** Times in milliseconds. */
export interface WatchPace {
  /** Between looks at everything, drawn from here to twice as much; watchers miss things. */
  allMs: number
  /** From files that were touched to a look at everything: only that one counts files. */
  countMs: number
  /** Between looks where the system watches nothing. */
  pollingMs: number
  /** Between questions what is new, with an editor and without. */
  newsMs: number
  idleNewsMs: number
  /** While the server is away. */
  awayMs: number
  /** Whether the folder is still there. */
  folderMs: number
}

export const usualPace: WatchPace = {
  allMs: 5 * 60_000,
  countMs: 60_000,
  pollingMs: 60_000,
  newsMs: 30_000,
  idleNewsMs: 120_000,
  awayMs: 15_000,
  folderMs: 5000,
}
