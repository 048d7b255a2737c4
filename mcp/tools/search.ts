/** The tool that finds props: by words, by kinds, by a prop that they look like, or by a picture. */
import { type Static, type TProperties, Type } from 'typebox'
import type { EntrySummary } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { Count, Id, nullable, oneOf, PageLimit } from '../../contract/shapes.ts'
import { wrongInput } from './refusal.ts'
import { own } from './said.ts'
import type { Ask, Fields, Tool } from './tool.ts'

const Text = Type.String()
const Texts = Type.Optional(Type.Array(Text))
const fewRows = 20
/** In base64: what a picture of the most bytes that a library takes comes to. */
export const longestPictureText = Math.ceil(limits.searchImage.bytes / 3) * 4

/** What a request to a server takes besides. */
const hostedPictureText = limits.assistantBodyBytes - 100_000

const question = {
  q: Type.Optional(Type.String({ description: 'Words, or phrases in double quotes; all must match' })),
  similar_to: Type.Optional(Id),
  tag: Texts,
  category: Texts,
  type: Texts,
  path: Type.Optional(Type.Array(Type.String({ description: '/Game/Props/ or a path with *' }))),
  tri_max: Type.Optional(Count),
  detail: Type.Optional(oneOf(['ids', 'summary', 'full'])),
  limit: Type.Optional(PageLimit),
  cursor: Type.Optional(Text),
}
type Question = Static<ReturnType<typeof Type.Object<typeof question>>> & { image_base64?: string }

/** A picture as the library takes it. */
export interface Picture {
  bytes: Uint8Array
  contentType: 'image/png' | 'image/jpeg'
}

export interface PictureInput {
  /** Further arguments that name a picture. */
  properties: TProperties
  /** The picture that they name. */
  read(input: Fields): Promise<Picture | undefined>
}

/** `named`: other ways to name a picture than to send its bytes. */
export function searchWith(named?: PictureInput): Tool {
  const maxLength = named ? longestPictureText : hostedPictureText
  const image_base64 = Type.Optional(Type.String({ description: 'A PNG or JPEG that they are to look like', maxLength }))
  const input = Type.Object({ ...question, image_base64, ...named?.properties })
  const output = Type.Object({
    entries: Type.Array(Type.Object({})),
    total: Type.Optional(Count),
    next_cursor: nullable(Text),
  })
  const run = async (ask: Ask, given: Question) => {
    const { image_base64: sent, ...rest } = given
    const read = await named?.read(rest)
    const asked = Object.fromEntries(Object.entries(rest).filter(([key]) => !(key in (named?.properties ?? {})))) as Question
    const pictures = [...(sent === undefined ? [] : [pictureOf(sent)]), ...(read ? [read] : [])]
    return pictures.length === 0 ? byWords(ask, asked) : byPicture(ask, asked, pictures)
  }
  return {
    name: 'search',
    title: 'Search props',
    description:
      'Find props (entries) by words, tags, kinds, a prop or a picture that they look like, or list them all. detail: ids, summary (default) or full.',
    toolset: 'default',
    routes: ['entries.list', 'entries.searchByImage'],
    input,
    output,
    pictured: true,
    run: run as Tool['run'],
  }
}

export const searchTool: Tool = searchWith()

async function byWords(ask: Ask, { detail = 'summary', limit = fewRows, ...asked }: Question): Promise<Fields> {
  const { entries, ...rest } = await ask('entries', 'list', { ...asked, limit })
  return { entries: entries.map(details[detail] ?? details.summary), ...rest }
}

async function byPicture(ask: Ask, asked: Question, pictures: readonly Picture[]): Promise<Fields> {
  const { detail = 'summary', limit = fewRows, similar_to, cursor, ...filters } = asked
  const [picture, second] = pictures
  if (second || similar_to !== undefined)
    throw wrongInput(own`similar_to`, own`is one of several things that they are to look like: give one`)
  if (cursor !== undefined) throw wrongInput(own`cursor`, own`goes on nowhere: a search by picture has one page`)
  const { entries, total_ranked } = await ask('entries', 'searchByImage', { ...filters, limit, ...(picture as Picture) })
  return { entries: entries.map(details[detail] ?? details.summary), total: total_ranked, next_cursor: null }
}

/** Throws VALIDATION for what is neither PNG nor JPEG; the library looks closer. */
function pictureOf(text: string): Picture {
  const bytes = Buffer.from(text.replace(/^data:image\/[a-z]+;base64,/, ''), 'base64')
  if (bytes.toString('latin1', 0, 8) === '\u0089PNG\r\n\u001a\n') return { bytes, contentType: 'image/png' }
  if (bytes.toString('latin1', 0, 3) === '\u00ff\u00d8\u00ff') return { bytes, contentType: 'image/jpeg' }
  throw wrongInput(own`image_base64`, own`is no PNG and no JPEG in base64`)
}

const details: Record<string, (entry: EntrySummary) => Fields> & { summary: (entry: EntrySummary) => Fields } = {
  ids: ({ id, name }) => ({ id, name }),
  summary: ({ id, name, entry_type, category, pack, origin_path, blob_size, review_status, status, has_thumbnail, score }) => ({
    id,
    name,
    entry_type,
    category,
    pack: pack.name,
    origin_path,
    blob_size,
    review_status,
    status,
    has_thumbnail,
    ...(score === undefined ? {} : { score }),
  }),
  full: (entry) => entry,
}
