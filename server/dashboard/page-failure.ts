/** What a page says when a request fails: a status, and words for a person. */

export interface FailureWords {
  title: string
  /** What happened. */
  message: string
  /** What to do next, when that is not simply going back. */
  next?: string | undefined
  /** Where the one button leads; default is the overview. */
  link?: { page: string; words: string }
  headers?: Record<string, string>
}

export class PageFailure extends Error {
  readonly status: number
  readonly words: FailureWords

  constructor(status: number, words: FailureWords) {
    super(words.title)
    this.status = status
    this.words = words
  }
}
