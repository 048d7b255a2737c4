/** Drawings that were read: on which version and which picture each of them is, and sending them. */
import type { Drawing } from '../../../client/discussion/drawings.ts'
import type { Api } from '../../../client/http/api.ts'
import type { Annotation } from '../../../contract/annotations.ts'
import type { EntryDetail } from '../../../contract/entries.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { chooseVersion, type VersionChoice } from '../../entries/version-name.ts'
import { failed } from '../../refusal.ts'
import { count, number } from '../../terminal/amounts.ts'

export interface DrawingWish {
  entryId: number
  drawings: readonly Drawing[]
  version: VersionChoice | undefined
  comment: number | undefined
  thumbnail: boolean
  dryRun: boolean
}

export async function draw(context: Context, api: Api, wish: DrawingWish): Promise<void> {
  const { drawings, dryRun } = wish
  const entry = await api.entries.get({ entry_id: wish.entryId })
  const version =
    wish.version &&
    chooseVersion((await api.lineages.get({ lineage_id: entry.lineage_id })).objects, wish.version, printable(entry.name))
  const ready = drawings.map((drawing, at) => completed(drawing, { ...wish, entry, objectId: version?.object_id, at }))
  const what = `${count(ready.length, 'drawing')} on ${printable(entry.name)}`
  if (dryRun) return context.out.result({ dry_run: true, annotations: ready }, `Would make ${what}. Nothing was changed.`)
  const made: Annotation[] = []
  for (const one of ready)
    made.push(
      await api.annotations.create(one).catch((error: unknown) => {
        if (made.length > 0) context.out.note(`${number(made.length)} of ${number(ready.length)} were drawn before that.`)
        throw error
      }),
    )
  const ids = made.map(({ id }) => id).join(', ')
  context.out.result({ dry_run: false, annotations: made }, `Made ${what}, ${made.length === 1 ? 'id' : 'ids'} ${ids}.`)
}

interface Default {
  entry: EntryDetail
  objectId: number | undefined
  comment: number | undefined
  thumbnail: boolean
  /** Of the drawings, counted from 0. */
  at: number
}

/** Refuses with `NO_PICTURE` where the picture has to be named. */
function completed(drawing: Drawing, { entry, objectId, comment, thumbnail, at }: Default) {
  const { shape, geometry } = drawing
  const object_id = drawing.object_id ?? objectId ?? entry.object_id
  const isCurrent = object_id === entry.object_id
  const own = thumbnail ? entry.thumbnail_artifact_id : (entry.preview_artifact_id ?? entry.thumbnail_artifact_id)
  const preview_artifact_id = drawing.preview_artifact_id ?? (isCurrent ? own : null)
  if (preview_artifact_id === null)
    throw failed(
      'NO_PICTURE',
      isCurrent
        ? `${printable(entry.name)} has no ${thumbnail ? 'thumbnail' : 'picture'} to draw on.`
        : `Drawing ${at + 1} is on an earlier version, and names no picture of it.`,
      isCurrent
        ? 'Push it from an editor that makes one, or name a picture: preview_artifact_id.'
        : 'Name its picture in the drawing: preview_artifact_id.',
    )
  const comment_id = drawing.comment_id ?? comment
  const place = { entry_id: entry.id, object_id, preview_artifact_id }
  return { ...place, shape, geometry, ...(comment_id == null ? {} : { comment_id }) }
}
