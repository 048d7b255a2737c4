/** `ph show --turn`: the prop on a turntable. */
import type { EntryDetail } from '../../../contract/entries.ts'
import type { Context } from '../../context.ts'
import { attention, drawableOf, fetchDrawables } from '../../entries/drawable.ts'
import type { Library } from '../../library.ts'
import { failed } from '../../refusal.ts'
import { runTurn, type TurnStyle } from '../../terminal/turn.ts'

/** Gives the exit code. Throws Refusal where there is nothing to see. */
export async function turnEntry(
  context: Context,
  library: Library,
  { entry, style }: { entry: EntryDetail; style: TurnStyle },
): Promise<number> {
  if (library.isOffline)
    throw failed(
      'NOT_OFFLINE',
      `${entry.name} cannot be turned without the server: the mirror keeps thumbnails only.`,
      'Turn a file of your project: `ph inspect --turn <file>`.',
    )
  const { signal } = context
  const [source] = await fetchDrawables(context, library, { versions: [drawableOf(entry)], bounds: { ...attention, signal } })
  if (!source)
    throw failed(
      'NOTHING_TO_TURN',
      `${entry.name} has no preview, and its file has neither a mesh nor a picture nor a sound to show.`,
      `Look at what is known of it: \`ph show ${entry.id}\``,
    )
  const { tri_count: triangles, material_count: materials } = entry.metadata
  return runTurn(context, { name: entry.name, source, known: { triangles, materials } }, style)
}
