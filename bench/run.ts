/** What every job of a benchmark run is given. */
import type { Results } from './table.ts'

export interface Place {
  /** Scratch folder on the disk that is measured. */
  work: string
  /** Copies of the public anchor scripts. */
  scripts: string
}

export interface Run {
  place: Place
  results: Results
  /** Rounds that count; one more before them does not. */
  runs: number
}
