/** A file on its way into the library: what it is, what it is called, and what is known of it from earlier pushes. */
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

const externalPart = /\/__External(?:Actors|Objects)__\//i

/**
 * The level that an external package belongs to, most likely one first; empty for any other package. The engine keeps an
 * actor of `/Game/Maps/L_Town` as `/Game/__ExternalActors__/Maps/L_Town/0/1A/<hash>`.
 */
export function levelsOf(packageName: string): string[] {
  const external = externalPart.exec(packageName)
  if (!external) return []
  const mount = packageName.slice(0, external.index)
  const below = packageName.slice(external.index + external[0].length)
  if (below === '') return []
  const parts = below.split('/')
  const usual = parts.length - 3
  const lengths = Array.from({ length: parts.length - 1 }, (_, i) => i + 1).sort(
    (a, b) => Math.abs(a - usual) - Math.abs(b - usual),
  )
  return lengths.map((length) => `${mount}/${parts.slice(0, length).join('/')}`)
}

/** Whether a file holds a part of a level, which is never an entry of its own. */
export const isExternal = ({ naming, found }: PushFile): boolean => externalPart.test(naming.packageName ?? `/${found.file}`)

/** Files with the same bytes; the first one names the item. */
export type Copies = [SendableFile, ...SendableFile[]]
