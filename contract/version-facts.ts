/** What is shown of a version besides its bytes and its place, wherever versions are shown (contract-gaps 9). */
import { Type } from 'typebox'
import { limits } from './limits.ts'
import { longestPath, packagePathPattern, sourcePathPattern } from './path-patterns.ts'
import { Id, nullable } from './shapes.ts'

const Text = Type.String()

export const PackagePath = Type.String({ pattern: packagePathPattern, maxLength: longestPath })
export const SourcePath = Type.String({ pattern: sourcePathPattern, maxLength: longestPath })
/** First 20 bytes of BLAKE3 of the raw bytes of source data, as Unreal packages call them. */
export const PayloadId = Type.String({ pattern: '^[0-9a-f]{40}$' })
export const PushNote = Type.String({ maxLength: limits.note })

/**
 * `version` counts from 1 in its lineage and is never used again. `missing_dependencies`: packages that it refers to and that are
 * not in the library now. `plugins`: those whose content or classes it uses, as its push named them. Ours says all of it; other servers
 * need not.
 */
export const versionFacts = {
  version: Type.Optional(Id),
  push_note: Type.Optional(nullable(Text)),
  missing_dependencies: Type.Optional(Type.Array(Text)),
  plugins: Type.Optional(Type.Array(Text)),
}

export type VersionFact = keyof typeof versionFacts

/** Where it came from: the project that it was pushed from, and its path below the folder that was pushed. */
export const versionOrigin = {
  pushed_from: Type.Optional(nullable(Text)),
  source_path: Type.Optional(nullable(Text)),
}

/**
 * The long package name of a version that has no `origin_path`: content of a plugin, or a name with letters that `origin_path` cannot
 * have. Null where none is known.
 */
export const placelessName = Type.Optional(nullable(Text))
