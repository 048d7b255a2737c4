/** Names of new props: sources of one name, which no path under /Game tells apart, are told apart by their folders. Pure. */

import { limits } from '../../../contract/limits.ts'
import { cutToLimit, nameKey } from '../../../contract/names.ts'
import { type Copies, isPackageFile, pathOf, type SendableFile } from '../../project/project-file.ts'
import { nameOf } from './manifest-item.ts'

/** By content hash: the names of those that have to be told apart, such as `rocks/cliff`. */
export function namesByFolder(groups: readonly Copies[]): Map<string, string> {
  const names = new Map<string, string>()
  const sources = groups.map(([file]) => file).filter((file) => !isPackageFile(file) && file.naming.originPath === null)
  for (const alike of Map.groupBy(sources, (file) => nameKey(nameOf(file))).values())
    for (const file of alike) {
      const folder = folderThatTells(
        file,
        alike.filter((other) => other !== file),
      )
      if (folder.length > 0) names.set(file.hash, cutToLimit(`${folder.join('/')}/${nameOf(file)}`, limits.names.entry))
    }
  return names
}

const foldersOf = (file: SendableFile): string[] => pathOf(file).split('/').slice(0, -1)

/** The end of a file's folder that no other of that name has; as much as there is where it lies beside another, or above. */
function folderThatTells(file: SendableFile, others: readonly SendableFile[]): string[] {
  const own = foldersOf(file)
  const elsewhere = others.map(foldersOf).filter((folders) => folders.join('/') !== own.join('/'))
  if (elsewhere.length === 0) return []
  const tells = (length: number) =>
    elsewhere.every((folders) => folders.slice(-length).join('/') !== own.slice(-length).join('/'))
  for (let length = 1; length < own.length; length++) if (tells(length)) return own.slice(-length)
  return own
}
