/** A file on its way into the library: what it is, what it is called, and what is known of it from earlier pushes. */
import { isLevelPart } from '../../contract/level-parts.ts'
import type { FileFacts, KnownPackage, KnownSource, Opaque } from './file-facts.ts'
import type { KnownFile } from './known-file.ts'
import { type Naming, nameFile, namePackage } from './package-name.ts'
import type { FoundFile } from './scan.ts'

export interface PushFile {
  found: FoundFile
  hash: string
  size: number
  facts: FileFacts
  naming: Naming
  known: KnownFile | undefined
}

/** A file that may go into a manifest. */
export interface SendableFile extends PushFile {
  facts: KnownPackage | KnownSource | Opaque
}

export const pathOf = (file: PushFile): string => file.found.file

/** What a file is called in the library, by what is known of it. */
export const namingOf = (found: FoundFile, facts: FileFacts): Naming =>
  facts.kind === 'package' ? namePackage(found, facts) : nameFile(found)

export const isPackageFile = ({ facts }: PushFile): boolean =>
  facts.kind === 'package' || (facts.kind === 'opaque' && facts.isPackage)

/** The signpost that a rename leaves behind. */
export const isRedirector = ({ facts }: PushFile): boolean => facts.kind === 'package' && facts.assetClass === 'ObjectRedirector'

/** Whether a file holds a part of a level, which is never an entry of its own. */
export const isExternal = ({ naming, found }: PushFile): boolean => isLevelPart(naming.packageName ?? `/${found.file}`)

/** Files with the same bytes; the first one names the item. */
export type Copies = [SendableFile, ...SendableFile[]]
