/** Streams of changes for tests: what one says next, and how it ends. */
import { createApi } from '../../client/http/api.ts'
import { Http, type HttpOptions } from '../../client/http/http.ts'
import type { LiveEvent } from '../../contract/changes.ts'
import { afterFile } from './after-file.ts'

export interface Stream {
  next(): Promise<LiveEvent>
  /** The number of the next `head`, and that it is the next event. */
  head(): Promise<number>
  /** `ended` in good order, else what is thrown. Whatever is said until then is left out. */
  end(): Promise<unknown>
  /** Says nothing more, and lets go of the connection. */
  leave(): Promise<unknown>
}

/** Asked for at the first event that is taken. Closed after the test file. */
export function openStream(url: string, key: string, over: Partial<HttpOptions> = {}): Stream {
  const http = new Http({ url, key, ...over })
  afterFile(() => http.close('destroy'))
  const events = createApi(http).changes.live()[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await events.next()
    if (done) throw new Error('the stream has ended')
    return value
  }
  return {
    next,
    async head() {
      const event = await next()
      if (event.event !== 'head') throw new Error(`not a head: ${JSON.stringify(event)}`)
      return event.data.seq
    },
    async end() {
      try {
        while (!(await events.next()).done);
        return 'ended'
      } catch (error) {
        return error
      }
    },
    leave: () => http.close('destroy'),
  }
}
