/** How long imports wait, for what. In milliseconds. */
export interface ImportTimes {
  /** For an answer about a conflict; then the local file is kept. */
  answerMs: number
  /** Between two events about one import that goes on. */
  tellMs: number
  /** After what could not be done now; it doubles up to the second. */
  firstRetryMs: number
  mostRetryMs: number
  /** For pictures and differences of conflicts, before these are asked without. */
  detailsMs: number
}

export const usualImportTimes: ImportTimes = {
  answerMs: 10 * 60_000,
  tellMs: 250,
  firstRetryMs: 15_000,
  mostRetryMs: 15 * 60_000,
  detailsMs: 20_000,
}
