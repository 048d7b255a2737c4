/** Comments in words: who, when, on which version, what was said, and what others made of it. */

import type { Thread } from '../../client/discussion/threads.ts'
import { versionName } from '../../client/entries/current-version.ts'
import type { Annotation, AnnotationShape } from '../../contract/annotations.ts'
import type { Attachment } from '../../contract/attachments.ts'
import type { Comment } from '../../contract/comments.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import { printable, printableLines } from '../../system/printable.ts'
import type { Context } from '../context.ts'
import { age, number, size } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import { wrap, wrapAfter } from '../terminal/wrap.ts'
import { listed, personName } from './people.ts'

/** What comments speak of. */
export type Versions = readonly Pick<LineageObject, 'object_id' | 'version'>[]

/** Drawings, of which some belong to a comment. */
export type Drawings = readonly Pick<Annotation, 'id' | 'comment_id' | 'shape'>[]

export type CommentLook = Pick<Context, 'out' | 'now'> & { versions: Versions; drawings: Drawings }

const mostNames = 3

/** The first comment, and its replies set in. */
export function threadLines({ top, replies }: Thread, look: CommentLook): string[] {
  return [...commentLines(top, look, 0), ...replies.flatMap((reply) => commentLines(reply, look, 1))]
}

function commentLines(comment: Comment, { out, now, versions, drawings }: CommentLook, depth: number): string[] {
  const indent = '    '.repeat(depth)
  const within = `${indent}    `
  const head = `${indent}${out.paint('dim', String(comment.id))} `
  return [
    ...wrapAfter(head, headWords(comment, { out, now: now(), versions }), out.width),
    ...bodyLines(comment.body, out, within),
    ...comment.attachments.flatMap((one) => wrap(pictureWords(one), out.width, within)),
    ...drawings
      .filter(({ comment_id }) => comment_id === comment.id)
      .flatMap(({ id, shape }) => wrap(`drawing ${id}: ${shapeWords(shape)}`, out.width, within)),
    ...(comment.mentions.length > 0
      ? wrap(`tells ${listed(comment.mentions.map(personName))}`, out.width, within).map((line) => out.paint('dim', line))
      : []),
    ...(comment.reactions.length > 0 ? wrap(reactionsOf(comment), out.width, within) : []),
  ]
}

function headWords(comment: Comment, { out, now, versions }: { out: Output; now: Date; versions: Versions }): string {
  const { author, created_at, object_id, updated_at, updated_by, resolved_at, resolved_by } = comment
  const edited = updated_at === null ? [] : [updated_by === author.id ? 'edited' : 'edited by an admin']
  const resolved = resolved_at === null ? [] : [`resolved by ${personName(resolved_by)} ${age(resolved_at, now)}`]
  const facts = [age(created_at, now), ...(object_id === null ? [] : [`on ${versionWords(object_id, versions)}`]), ...edited]
  const words = `${out.paint('bold', personName(author))}, ${facts.join(', ')}`
  return resolved.length === 0 ? words : `${words} ${out.paint('green', `✓ ${resolved.join('')}`)}`
}

/** Its number; a version that is not there any more has none. */
export function versionWords(objectId: number, versions: Versions): string {
  const found = versions.find(({ object_id }) => object_id === objectId)
  return found ? versionName(found) : 'a version that is gone'
}

/** What was said, in its own lines. */
export const bodyLines = (body: string, { width }: Pick<Output, 'width'>, indent: string): string[] =>
  printableLines(body.trimEnd()).flatMap((line) => (line.trim() === '' ? [''] : wrap(line, width, indent)))

const pictureWords = ({ id, width, height, size: bytes, has_strokes }: Attachment): string =>
  `picture ${id}: ${number(width)} x ${number(height)} px, ${size(bytes)}${has_strokes ? ', drawn on' : ''}`

const shapeNames: Record<AnnotationShape, string> = {
  rect: 'a rectangle',
  ellipse: 'an ellipse',
  freehand: 'a line by hand',
  point3d: 'a point on the mesh',
}

/** What the server sent may be of a shape that is not known yet. */
export const shapeWords = (shape: string): string =>
  (shapeNames as Record<string, string | undefined>)[shape] ?? `a ${printable(shape)}`

/** `👍 2 (Mia, Max)` */
export const reactionsOf = ({ reactions }: Pick<Comment, 'reactions'>): string =>
  reactions
    .map(({ emoji, count, names }) => `${printable(emoji)} ${number(count)} (${listed(names.map(printable), mostNames)})`)
    .join('  ')

/** The beginning of what was said, on one line. */
export function excerpt(body: string, most = 120): string {
  const line = printable(body.replaceAll(/\s+/g, ' ').trim())
  const letters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : line
}
