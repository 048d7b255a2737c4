/** What a package header tells, and what of it contradicts the manifest (spec 4.9; contract-gaps 5): the same here and in a thread. Pure. */
import type { ManifestItem } from '../../../contract/push.ts'
import { FormatError } from '../../../formats/format-error.ts'
import { guidKey } from '../../../formats/package-guid.ts'
import { type PackageFacts, readPackage } from '../../../formats/uasset/uasset.ts'
import { nameOf, pathKey } from '../manifest.ts'

/** What the library keeps of a header. */
export interface PackageHeader {
  guid: string | undefined
  /** Imported packages under /Game as path keys, without itself. */
  imports: string[]
  /** Of a part of a level: what people call it. */
  label?: string
}

/** What was found in one file; without a header for what is no package, or newer than the reader knows. */
export interface Look {
  header?: PackageHeader
  wrong: Wrong[]
}

interface Wrong {
  /** Of the item; without one the file itself is damaged. */
  field?: string
  message: string
}

/** What the manifest says of the file. */
export type Said = Pick<ManifestItem, 'content_hash' | 'blob_size' | 'asset_name' | 'origin_path' | 'package_guid'>

export const saidOf = ({ content_hash, blob_size, asset_name, origin_path, package_guid }: ManifestItem): Said => ({
  content_hash,
  blob_size,
  ...(asset_name === undefined ? {} : { asset_name }),
  ...(origin_path === undefined ? {} : { origin_path }),
  ...(package_guid === undefined ? {} : { package_guid }),
})

/** `bytes`: of a package, at least its header. */
export function lookInto(bytes: Uint8Array, said: Said): Look {
  const stem = said.origin_path?.split('/').at(-1) ?? said.asset_name ?? ''
  try {
    const facts = readPackage(bytes, { stem, fileSize: said.blob_size })
    return { header: toHeader(said, facts), wrong: contradictions(said, facts) }
  } catch (error) {
    return unreadable(error, said)
  }
}

/** Packages that the reader does not know are opaque files, not damaged ones. Throws what is no FormatError. */
export function unreadable(error: unknown, said: Said): Look {
  if (!(error instanceof FormatError)) throw error
  if (error.reason === 'unsupported' || error.reason === 'too-large') return { wrong: [] }
  return { wrong: [{ message: `${nameOf(said)}: ${error.message}` }] }
}

function contradictions(said: Said, facts: PackageFacts): Wrong[] {
  if (!facts.complete) return []
  const found: Wrong[] = []
  const inFile = facts.stableGuid?.value
  if (said.package_guid && guidKey(said.package_guid) !== guidKey(inFile))
    found.push({
      field: 'package_guid',
      message: `${said.package_guid} contradicts the file, which has ${inFile ?? 'no stable GUID'} (${nameOf(said)})`,
    })
  if (said.origin_path && facts.packageName && pathKey(said.origin_path) !== pathKey(facts.packageName))
    found.push({
      field: 'origin_path',
      message: `${said.origin_path} contradicts the file, which calls itself ${facts.packageName}`,
    })
  return found
}

function toHeader(said: Said, facts: PackageFacts): PackageHeader {
  const own = new Set([said.origin_path, facts.packageName].map((path) => path && pathKey(path)))
  const imports = facts.imports.filter((name) => name.startsWith('/Game/')).map(pathKey)
  return { guid: guidKey(facts.stableGuid?.value), imports: [...new Set(imports)].filter((path) => !own.has(path)) }
}
