/**
 * A walk of a whole project, kept in a file beside what is remembered of it. Who hears of every change that is made to the project's files
 * names those folders that were touched since; of the others the next walk need not look at one file after the other.
 */
import { readFileSync } from 'node:fs'
import { writeWhole } from '../../system/whole-file.ts'

/** A folder: its name. A file: its name, size in bytes and fingerprint; its name alone where a walk passed over it. */
export type KeptEntry = string | readonly [name: string, size: number, stat: string] | readonly [name: string]

/** A folder that holds nothing but folders and files with one name each, in the order of their names. */
export interface KeptFolder {
  /** Fingerprint of the folder itself: another one when something comes, goes or is renamed in it. */
  stat: string
  entries: readonly KeptEntry[]
}

/** Folders by their path below the root, with `/`. */
export type KeptFolders = Readonly<Record<string, KeptFolder>>

/** What someone who hears of every change says of a project. */
export interface Heard {
  /** The walk that is kept under this name counts, … */
  walk: string
  /** … but for these folders, below the root with `/`. One that ends with `/` stands for all below, too. */
  touched: readonly string[]
}

/** Undefined where another walk or none is kept. */
export function readKeptFolders(path: string, { walk, touched }: Heard): KeptFolders | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    if (!text.startsWith(`${walk}\n`)) return undefined
    const folders = JSON.parse(text.slice(walk.length + 1)) as Record<string, KeptFolder>
    const whole = touched.filter((folder) => folder.endsWith('/'))
    for (const folder of touched) delete folders[folder]
    for (const folder of whole.length > 0 ? Object.keys(folders) : [])
      if (whole.some((above) => `${folder}/`.startsWith(above))) delete folders[folder]
    return folders
  } catch {
    return undefined
  }
}

export const writeKeptFolders = (path: string, walk: string, folders: KeptFolders): Promise<void> =>
  writeWhole(path, (file) => file.writeFile(`${walk}\n${JSON.stringify(folders)}`), { mode: 0o600, folderMode: 0o700 })
