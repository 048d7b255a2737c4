/** Resources: an entry, its thumbnail, what it needs, and a review round, each with an address of its own; and the cards of tools. */
import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { ApiError } from '../../contract/errors.ts'
import { bounded } from '../tools/bounded.ts'
import { everydayReading } from '../tools/everyday-reading.ts'
import { fenced, joined, own } from '../tools/said.ts'
import type { Ask, Fields } from '../tools/tool.ts'
import type { Reached } from './assistant.ts'
import { cardPage, isCard } from './card/card.ts'
import { leftOffWords } from './left-off.ts'
import { withoutPicture } from './pictures.ts'

const text = 'text/plain'

export const templates = [
  {
    uriTemplate: 'ph://entry/{id}',
    name: 'entry',
    title: 'Prop',
    description: 'One prop: facts, current version, tags, newest comments, who has it checked out.',
    mimeType: text,
  },
  {
    uriTemplate: 'ph://entry/{id}/thumbnail',
    name: 'thumbnail',
    title: 'Thumbnail of a prop',
    description: 'Its picture, at most 256 pixels wide and high.',
    mimeType: 'image/png',
  },
  {
    uriTemplate: 'ph://entry/{id}/closure',
    name: 'closure',
    title: 'What a prop needs',
    description: 'Every file that it needs, directly or through others, itself first.',
    mimeType: text,
  },
  {
    uriTemplate: 'ph://review/{id}',
    name: 'review',
    title: 'Review round',
    description: 'Who was asked about which version, what they answered, and what depends on it.',
    mimeType: text,
  },
] as const

const tool = (name: string) => (ask: Ask, id: number) =>
  everydayReading.find((one) => one.name === name)?.run(ask, { entry_id: id }) as Promise<Fields>

const readers: Record<string, (ask: Ask, id: number) => Promise<Fields>> = {
  entry: tool('look'),
  closure: tool('needs'),
  review: (ask, id) => ask('reviewRequests', 'get', { request_id: id }),
}

/** Throws ProtocolError for an address that is none of these, and what the library throws. */
export async function readResource(reached: Reached, uri: string): Promise<ReadResourceResult> {
  if (isCard(uri)) return { contents: [await cardPage(uri)] }
  const [, kind = '', digits = '', part = kind] = /^ph:\/\/(entry|review)\/(\d{1,15})(?:\/(thumbnail|closure))?$/.exec(uri) ?? []
  const id = Number(digits)
  if (kind === 'entry' && part === 'thumbnail') return thumbnail(reached, uri, id)
  const read = kind === 'review' && part !== 'review' ? undefined : readers[part]
  if (!read) throw new ResourceNotFoundError(uri.slice(0, 200), 'There is nothing at that address.')
  return { contents: [{ uri, mimeType: text, text: await textOf(reached, () => read(reached.ask, id)) }] }
}

/** Within the bounds of any answer, without invisible characters, fenced; behind what is said beside it. */
export async function textOf(reached: Reached, read: () => Promise<Fields>): Promise<string> {
  const { answer, leftOff } = await bounded(read, {})
  return joined([...reached.notices(), ...leftOffWords(leftOff), fenced(answer)], '\n').text
}

async function thumbnail({ ask, thumbnails }: Reached, uri: string, id: number): Promise<ReadResourceResult> {
  // An entry that is not there is told as such.
  await ask('entries', 'get', { entry_id: id })
  const picture = (await thumbnails([id])).get(id)
  if (!picture) throw new ResourceNotFoundError(uri, own`Entry ${id} has no thumbnail.`.text)
  if ('png' in picture) return { contents: [{ uri, mimeType: 'image/png', blob: picture.png.toString('base64') }] }
  const { none, retryAfterSeconds } = picture
  if (retryAfterSeconds !== undefined) throw new ApiError('UNAVAILABLE', none, { retry_after_seconds: retryAfterSeconds })
  throw new ResourceNotFoundError(uri, withoutPicture(id, none).text)
}
