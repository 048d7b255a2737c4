// Packages saved by real editors and what an independent reader found in them, where PH_FIXTURES names their folder.
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'

export const fixtureFolder = process.env.PH_FIXTURES

/** One record of expected.json; the fields are described in the package header notes, section 16. */
export type ExpectedPackage = {
  size: number
  error?: string
  package_name_in_file: string | null
  folder_name: string
  package_name: string | null
  package_guid: string | null
  persistent_guid: string | null
  saved_hash: string | null
  stable_guid: string | null
  stable_guid_source: string | null
  engine_version: string
  engine_version_known: boolean
  engine_saved_by: { version: string; changelist: number; licensee: boolean; branch: string }
  engine_compatible_with: string
  file_versions: { legacy: number; ue4: number; ue5: number; licensee: number }
  package_flags: number
  cooked: boolean
  contains_map: boolean
  asset_name: string
  asset_class: string
  asset_class_by_export: string
  counts: Record<
    'names' | 'wide_names' | 'imports' | 'exports' | 'asset_registry_objects' | 'soft_object_paths' | 'thumbnails',
    number
  >
  import_packages_game: string[]
  import_packages_other: string[]
  import_packages_script_count: number
  import_packages_engine_count: number
  import_packages_game_editor_only: string[] | null
  soft_package_refs: string[]
  own_name_candidates_in_names: string[]
  thumbnail: ExpectedThumbnail | null
  asset_registry_tags: Record<string, string | { length: number; sha256_utf8: string }>
  warnings: string[]
}

/** `offset` is that of the picture's record; the image itself begins 12 bytes later. */
export type ExpectedThumbnail = {
  width: number
  height: number
  format: string
  bytes: number
  sha256: string
  offset: number
  class: string
  object: string
}

export type RealPackage = { path: string; stem: string; bytes: Uint8Array; expected: ExpectedPackage }

export function realPackage(path: string, expected: ExpectedPackage): RealPackage {
  return { path, stem: basename(path, extname(path)), bytes: readFileSync(join(fixtureFolder ?? '', path)), expected }
}

/** Every package of expected.json, the damaged ones of `edge/` among them. */
export function realPackages(): RealPackage[] {
  if (fixtureFolder === undefined) return []
  const { files } = JSON.parse(readFileSync(join(fixtureFolder, 'expected.json'), 'utf8'))
  return Object.entries<ExpectedPackage>(files).map(([path, expected]) => realPackage(path, expected))
}
