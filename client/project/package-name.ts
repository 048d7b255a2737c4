/** The name and place of a file in the library: what its header says, what its folder says, and which of them holds (uasset-header 12.1). */
import { nameKey } from '../../contract/names.ts'
import type { KnownPackage } from './file-facts.ts'
import type { FoundFile } from './scan.ts'
import { packageNameAt } from './unreal-project.ts'

export interface Naming {
  /** Long package name, also of what lies in plugins; null where nothing tells. */
  packageName: string | null
  /** The name that the library takes as its place: under /Game and of allowed letters only. */
  originPath: string | null
  /** `contradicts`: the header's name, which holds, is another than the folder's. */
  remark: 'contradicts' | 'not-allowed' | 'plugin' | 'unplaced' | null
  /** The name that the folder gives. */
  folderName: string | null
}

const allowed = /^\/Game(\/[A-Za-z0-9_-]+)+$/
const longestOriginPath = 1000

/** Names a package by its header, which from 5.1 on is exact, else by its folder; a folder whose mount is a guess must be confirmed. */
export function namePackage(found: FoundFile, facts: Pick<KnownPackage, 'packageName' | 'ownNames'>): Naming {
  const folderName = nameByFolder(found)
  const sure = found.mount !== undefined && !found.mount.assumed
  if (facts.packageName !== null) {
    const same = folderName !== null && (sure ? equal(folderName, facts.packageName) : samePlace(folderName, facts.packageName))
    return place(facts.packageName, folderName, folderName !== null && !same)
  }
  if (folderName === null || sure) return place(folderName, folderName)
  return place(confirmedName(folderName, facts.ownNames), folderName)
}

/** Names what is no package: by its folder. */
export function nameFile(found: FoundFile): Naming {
  const folderName = nameByFolder(found)
  return place(folderName, folderName)
}

/** The path of a file below its Content folder, with `/`. */
export const pathInContent = ({ file, mount }: Pick<FoundFile, 'file' | 'mount'>): string | undefined =>
  mount && file.slice(mount.prefix.length)

/** The name that its folder gives a file, without its extension; null where it lies in no Content folder. */
export const nameByFolder = (found: FoundFile): string | null => {
  const path = pathInContent(found)
  return found.mount && path !== undefined ? packageNameAt(found.mount, path).normalize('NFC') : null
}

/** A guessed /Game holds unless the package itself names another place; then that one does, if it ends with the same path. */
function confirmedName(folderName: string, ownNames: string[]): string | null {
  if (ownNames.length === 0 || ownNames.some((name) => equal(name, folderName))) return folderName
  return ownNames.find((name) => samePlace(name, folderName)) ?? null
}

function place(packageName: string | null, folderName: string | null, contradicts = false): Naming {
  if (packageName === null) return { packageName, originPath: null, remark: 'unplaced', folderName }
  if (!packageName.toLowerCase().startsWith('/game/')) return { packageName, originPath: null, remark: 'plugin', folderName }
  const originPath = `/Game${packageName.slice('/Game'.length)}`
  if (!allowed.test(originPath) || originPath.length > longestOriginPath)
    return { packageName, originPath: null, remark: 'not-allowed', folderName }
  return { packageName, originPath, remark: contradicts ? 'contradicts' : null, folderName }
}

const equal = (a: string, b: string): boolean => a === b || nameKey(a) === nameKey(b)
const withoutMount = (name: string): string => name.slice(name.indexOf('/', 1))
const samePlace = (a: string, b: string): boolean => equal(withoutMount(a), withoutMount(b))

/** The same name in letters that the library takes: what a rename in the editor could make of it. */
export function allowedName(packageName: string): string {
  const plain = packageName.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return plain.replaceAll(/[^A-Za-z0-9_/-]+/g, '_')
}
