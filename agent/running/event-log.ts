/** What happened lately, for who follows it: numbered, a part of it kept, so that who was away for a moment misses nothing or is told. */
import type { StreamEvent } from '../../contract/event-stream.ts'

const mostKept = 2000
/** Of all that are kept: the files of an import of thousands are in one. */
const mostItems = 100_000

export interface AgentEvent extends StreamEvent {
  id: number
  data: Record<string, unknown>
}

export interface FollowEvents {
  /** Only what came after it; undefined: what comes from now on. */
  since: number | undefined
  /** Only what is about this project, or about none. */
  projectKey: string | undefined
  signal: AbortSignal
}

export class EventLog {
  readonly #kept: AgentEvent[] = []
  readonly #listeners = new Set<() => void>()
  #items = 0
  #last: number

  /** Numbers go on growing when the agent is started anew: they begin with the time. */
  constructor(nowMs: number) {
    this.#last = nowMs * 100
  }

  get last(): number {
    return this.#last
  }

  tell(event: string, data: Record<string, unknown>): void {
    this.#kept.push({ event, id: ++this.#last, data })
    this.#items += itemsOf(data)
    while (this.#kept.length > mostKept || (this.#items > mostItems && this.#kept.length > 1))
      this.#items -= itemsOf(this.#kept.shift()?.data ?? {})
    for (const listener of [...this.#listeners]) listener()
  }

  /** Begins with a `gap` where events after `since` are no longer kept, or were another agent's. */
  async *follow({ since, projectKey, signal }: FollowEvents): AsyncGenerator<AgentEvent> {
    let after = since ?? this.#last
    while (!signal.aborted) {
      if (this.#misses(after)) {
        const to = this.#last
        yield { event: 'gap', id: to, data: { since: after, next: to } }
        after = to
      }
      const next = this.#kept.find(({ id }) => id > after)
      if (next) {
        after = next.id
        const about = next.data.project_key
        if (projectKey === undefined || about === undefined || about === projectKey) yield next
      } else await this.#more(signal)
    }
  }

  #misses(after: number): boolean {
    const oldest = this.#kept[0]?.id ?? this.#last + 1
    return after > this.#last || after + 1 < oldest
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#listeners.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#listeners.add(done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }
}

const itemsOf = (data: AgentEvent['data']): number =>
  Object.values(data).reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0)
