/** What `ph convert` is asked to convert: files by name, and all that is in folders. */
import { readdir, stat } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { findSourceKind } from '../../../formats/source-file.ts'
import { wrongUsage } from '../../refusal.ts'

export interface Input {
  /** As the person wrote it; for files of folders the folder comes first. */
  file: string
  path: string
  /** Folder below the target that its result goes to; empty for files that were named. */
  below: string
  isOfFolder: boolean
}

/** What programs make for themselves, beside or within the content of a project. */
const leftOut = /^(\..*|Intermediate|Saved|DerivedDataCache|Binaries|node_modules)$/
const mostFiles = 100_000

/** In the order of the names, those of a folder by name. What is not there is an input too: reading it says so. */
export async function inputsOf(cwd: string, names: readonly string[]): Promise<Input[]> {
  const inputs: Input[] = []
  for (const name of names) {
    const path = resolve(cwd, name)
    const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false
    inputs.push(...(isFolder ? await inFolder(path, name) : [{ file: name, path, below: '', isOfFolder: false }]))
    if (inputs.length > mostFiles)
      throw wrongUsage(`There are more than ${mostFiles} files to convert.`, 'Name fewer folders at a time.')
  }
  return inputs
}

/** Links are not followed: they may lead back, or out of the folder. */
async function inFolder(root: string, name: string): Promise<Input[]> {
  const found: string[] = []
  const folders = ['']
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.isDirectory() && !leftOut.test(entry.name)) folders.push(join(folder, entry.name))
      if (entry.isFile() && isConverted(entry.name)) found.push(join(folder, entry.name))
    }
    if (found.length + folders.length > mostFiles) break
  }
  return found
    .toSorted()
    .map((file) => ({ file: join(name, file), path: join(root, file), below: dirname(file), isOfFolder: true }))
}

function isConverted(name: string): boolean {
  const ext = extname(name).slice(1).toLowerCase()
  const kind = findSourceKind(ext)
  return ext === 'uasset' || (kind !== undefined && kind.reader !== null && kind.entryType !== null)
}
