/** What making previews came to. */

/** One version of which something is worth saying. */
export interface MediaRemark {
  entry_id: number
  name: string
  message: string
}

export interface MediaReport {
  /** Previews that the library has now. */
  made: number
  thumbnails: number
  /** There can be none, and the library was told. */
  unavailable: (MediaRemark & { reason: string })[]
  /** Not made or not taken, and not the library's to know. `given_up`: this machine does not try again. */
  failed: (MediaRemark & { reason: string; given_up: boolean })[]
  /** Files that changed, and versions that are not current any more: they need none. */
  left: number
  /** Previews that are less than their sources, and how. */
  reduced: MediaRemark[]
}

export const emptyReport = (): MediaReport => ({ made: 0, thumbnails: 0, unavailable: [], failed: [], left: 0, reduced: [] })

/** Whether anything may be better next time. */
export const isOpen = ({ failed }: MediaReport): boolean => failed.some(({ given_up }) => !given_up)
