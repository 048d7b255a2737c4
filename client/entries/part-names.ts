/** What people call the parts of levels, whose files are named by hashes: by the label that the outliner shows, under their level. */
import { readFileSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { levelsOf, partLabel } from '../../contract/level-parts.ts'
import { largestActor, readActor } from '../../formats/uasset-data/actor.ts'

export interface PartName {
  /** The package path of its level. */
  level: string
  /** The label of the outliner; without one its class and the last four letters of its file. */
  label: string
  /** The level's newest set in the library has it no more. */
  left_level?: true
}

/** So many files are looked into for their labels. */
const mostRead = 500

/** Of a file below a project's root; undefined for what is no part of a level. `className`: where the file does not say its class. */
export function partNameOf(root: string, file: string, { isRead = true, className = 'Actor' } = {}): PartName | undefined {
  const content = file.indexOf('Content/')
  const [level] = content < 0 ? [] : levelsOf(`/Game/${file.slice(content + 'Content/'.length)}`)
  if (level === undefined) return undefined
  const stem = basename(file, extname(file))
  const facts = isRead ? factsOf(join(root, file), stem) : undefined
  return { level, label: partLabel({ path: stem, asset_class: facts?.class ?? className, label: facts?.label }) }
}

/** Undefined where it is not here, or cannot be read: then it has a name all the same. */
function factsOf(path: string, stem: string) {
  try {
    return statSync(path).size > largestActor ? undefined : readActor(readFileSync(path), { stem })
  } catch {
    return undefined
  }
}

/** The same records, parts of levels with their names. */
export function withPartNames<F extends { file: string; state?: string }>(
  root: string,
  files: readonly F[],
): (F & { part?: PartName })[] {
  let read = 0
  return files.map((one) => {
    const part = partNameOf(root, one.file, { isRead: one.state !== 'missing' && read < mostRead })
    if (!part) return one
    read++
    return { ...one, part: one.state === 'deleted' ? { ...part, left_level: true as const } : part }
  })
}
