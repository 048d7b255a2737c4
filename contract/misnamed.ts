/** Files that a pull job comes without, because no project can have them under their names (contract-gaps 5 and 9). */
import { type Static, Type } from 'typebox'
import { Id, nullable } from './shapes.ts'

export const MisnamedFile = Type.Object({
  object_id: Id,
  /** The entry to download it by; null where it has none. */
  entry_id: nullable(Id),
  /** Its long package name where that is known, else what it is called. */
  name: Type.String(),
  /** Why it does not come: ends the sentence that begins with `name`. */
  why: Type.String(),
  /** Null for a package. */
  source_ext: nullable(Type.String()),
  /** Whether it was ordered itself; false: something that was ordered needs it. */
  ordered: Type.Boolean(),
})
export type MisnamedFile = Static<typeof MisnamedFile>

/** As it stands among the warnings of a pull. */
type MisnamedWarning = { type: 'misnamed'; message: string; files: MisnamedFile[] }

const mostNamed = 5

/** One warning about all of them; none where a job comes whole. `folder`: of the project, as it is to be typed. */
export function misnamedWarnings(files: readonly MisnamedFile[], folder = '<folder of the project>'): MisnamedWarning[] {
  if (files.length === 0) return []
  const sentences = files.slice(0, mostNamed).map((file) => `${file.name} ${file.why}; ${wayOut(file, folder)}.`)
  const more = files.length > mostNamed ? ` And ${files.length - mostNamed} more.` : ''
  return [{ type: 'misnamed', message: `Left out: ${sentences.join(' ')}${more}`, files: [...files] }]
}

/** What brings such a file all the same: a package into its place in the project, other files into a folder outside of any. */
export function wayOut({ entry_id, source_ext }: Pick<MisnamedFile, 'entry_id' | 'source_ext'>, folder: string): string {
  if (entry_id === null) return 'rename it and push it again'
  if (source_ext !== null)
    return `bring it into a folder outside of any project with \`ph download ${entry_id} --to <folder>\`, or rename it and push it again`
  return `bring it with \`ph download ${entry_id} --to ${folder}\`, or rename it in the editor and push it again`
}
