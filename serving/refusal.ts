/** What the front door says when it does not let a request in: a status and one sentence (spec 7). */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}
