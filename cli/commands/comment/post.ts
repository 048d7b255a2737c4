/** A new comment: where it goes, what its writer should know before and after. */

import { type Picture, uploadPictures } from '../../../client/discussion/pictures.ts'
import { namesOfNobody, type Thread, threadsOf } from '../../../client/discussion/threads.ts'
import { versionName } from '../../../client/entries/current-version.ts'
import type { Api } from '../../../client/http/api.ts'
import type { Comment } from '../../../contract/comments.ts'
import type { EntryDetail } from '../../../contract/entries.ts'
import type { LineageObject } from '../../../contract/lineages.ts'
import { printable, printableLines } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { listed, personName } from '../../discussion/people.ts'
import { chooseVersion, type VersionChoice } from '../../entries/version-name.ts'
import { failed } from '../../refusal.ts'
import { age, count } from '../../terminal/amounts.ts'

export interface Place {
  entry: EntryDetail
  thread: Thread | undefined
  version: LineageObject | undefined
  /** What the writer reads below the cut in their editor. */
  about(now: Date): string[]
}

interface Named {
  entryId: number
  reply: number | undefined
  version: VersionChoice | undefined
}

/** Refuses with `COMMENT_NOT_FOUND` and `OBJECT_NOT_FOUND`, before anything is written or sent. */
export async function findPlace(api: Api, { entryId, reply, version: choice }: Named): Promise<Place> {
  const entry = await api.entries.get({ entry_id: entryId })
  const thread = reply === undefined ? undefined : requireThread(entry, reply)
  const version = choice && (await versionOf(api, entry, choice))
  return { entry, thread, version, about: (now) => aboutLines({ entry, thread, version }, now) }
}

async function versionOf(api: Api, { lineage_id, name }: EntryDetail, choice: VersionChoice): Promise<LineageObject> {
  const { objects } = await api.lineages.get({ lineage_id })
  return chooseVersion(objects, choice, printable(name))
}

/** Who replies to a reply means its thread. */
function requireThread({ comments, name }: EntryDetail, id: number): Thread {
  const found = threadsOf(comments).find(({ top, replies }) => [top, ...replies].some((one) => one.id === id))
  if (found) return found
  throw failed(
    'COMMENT_NOT_FOUND',
    `${printable(name)} has no comment ${id}.`,
    `See them with \`ph comments ${shellWord(printable(name))}\`.`,
  )
}

function aboutLines({ entry, thread, version }: Omit<Place, 'about'>, now: Date): string[] {
  const what = `${printable(entry.name)}${version ? ` ${versionName(version)}` : ''}`
  return [
    `What you say about ${what}. An empty text says nothing.`,
    '@login-name or @display-name tells someone.',
    ...(thread
      ? ['', 'The thread that you reply in:', ...[thread.top, ...thread.replies].flatMap((one) => quoted(one, now))]
      : []),
  ]
}

const quoted = ({ author, created_at, body }: Comment, now: Date): string[] => [
  '',
  `${personName(author)}, ${age(created_at, now)}:`,
  ...printableLines(body).map((line) => `| ${line}`),
]

interface Posting {
  place: Place
  text: string
  pictures: readonly Picture[]
}

export async function post(api: Api, { place, text, pictures }: Posting): Promise<Comment> {
  const attachment_ids = await uploadPictures(api, pictures)
  return api.comments.create({
    entry_id: place.entry.id,
    body: text,
    ...(place.thread ? { parent_id: place.thread.top.id } : {}),
    ...(place.version ? { object_id: place.version.object_id } : {}),
    ...(attachment_ids.length > 0 ? { attachment_ids } : {}),
  })
}

export function postedWords(
  comment: Comment,
  { place: { entry, thread, version }, me, pictures }: { place: Place; me: number; pictures: number },
): string {
  const name = `${printable(entry.name)}${version ? ` ${versionName(version)}` : ''}`
  const what = thread ? `Replied to ${personName(thread.top.author)} on ${name}` : `Commented on ${name}`
  const withPictures = pictures > 0 ? `, with ${count(pictures, 'picture')}` : ''
  const resolved = thread?.top.resolved_at
    ? ` The thread is resolved; \`ph resolve ${thread.top.id} --undo\` opens it again.`
    : ''
  return `${what}: comment ${comment.id}${withPictures}.${mentionWords(comment, me)}${resolved}`
}

/** Who is told because they were named, and which names are nobody's. */
export function mentionWords({ body, mentions }: Comment, me: number): string {
  const others = mentions.filter(({ id }) => id !== me).map(personName)
  const unknown = namesOfNobody(body, mentions).map((name) => `@${printable(name)}`)
  const told = others.length > 0 ? ` It names ${listed(others)}.` : ''
  if (unknown.length === 0) return told
  return `${told} ${listed(unknown)} ${unknown.length === 1 ? 'is' : 'are'} no one's name here, or several people's: nobody is told by that.`
}
