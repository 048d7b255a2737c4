/**
 * Keeps many requests from hammering a server that asks for patience: the first one that is refused waits and asks again,
 * the others stand in line behind it. When it gets through they follow, one more at a time with each that is let in.
 */

/** A request that may be sent. It says once what came of that, and `leave` when it is over, however it ended. */
export interface Admission {
  /** The server answered it. */
  passed(): void
  /** The server asked for patience. True: wait, then send it again. False: another one waits already; leave, and enter again first. */
  refused(): boolean
  leave(): void
}

interface Waiting {
  admit(): void
}

export class RequestGate {
  readonly #widest: number
  /** Requests on their way at once. */
  #width: number
  #inside = 0
  /** The one that waits for the server. */
  #retrying: object | undefined
  readonly #line: Waiting[] = []

  /** `widest`: as many as there are connections, so that a request that has to wait for one can still be held back. */
  constructor(widest: number) {
    this.#widest = widest
    this.#width = widest
  }

  /** Resolves when the request may be sent; `first` puts it at the head of the line. Throws the reason of an aborted signal. */
  async enter({ first = false, signal }: { first?: boolean; signal?: AbortSignal } = {}): Promise<Admission> {
    signal?.throwIfAborted()
    if (this.#inside >= this.#width || (this.#line.length > 0 && !first)) await this.#stand(first, signal)
    else this.#inside++
    return this.#admission()
  }

  #stand(first: boolean, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#line.splice(this.#line.indexOf(waiting), 1)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        admit: () => {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      if (first) this.#line.unshift(waiting)
      else this.#line.push(waiting)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  #admission(): Admission {
    const own = {}
    return {
      passed: () => {
        // One that had to wait says only that there was room for one.
        if (this.#retrying === own) this.#retrying = undefined
        else if (this.#retrying === undefined) this.#width = Math.min(this.#width + 1, this.#widest)
      },
      refused: () => {
        this.#retrying ??= own
        this.#width = 1
        return this.#retrying === own
      },
      leave: () => {
        if (this.#retrying === own) this.#retrying = undefined
        this.#inside--
        this.#admit()
      },
    }
  }

  #admit(): void {
    while (this.#inside < this.#width) {
      const next = this.#line.shift()
      if (!next) return
      this.#inside++
      next.admit()
    }
  }
}
