/** Answers that go on: the events of one. */
import type { Dispatcher } from 'undici'
import { readEvents, type StreamEvent } from '../../contract/event-stream.ts'
import { ClientError } from '../client-error.ts'
import { splitLines } from './body.ts'

/** Throws ClientError NOT_A_LIBRARY where something else answers, and what the connection throws. */
export async function* eventsOf({ headers, body }: Dispatcher.ResponseData, from: string): AsyncGenerator<StreamEvent> {
  if (!String(headers['content-type']).startsWith('text/event-stream')) {
    body.on('error', () => {}).destroy()
    throw noEvents(from)
  }
  try {
    for await (const event of readEvents(splitLines(body, { empty: 'kept' }))) if (event) yield event
  } catch (error) {
    throw error instanceof SyntaxError ? noEvents(from) : error
  }
}

const noEvents = (from: string) =>
  new ClientError('NOT_A_LIBRARY', `${from} answered with something that is no stream of events.`)
