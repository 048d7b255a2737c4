/** Packages that files refer to and that are not on this disk: the library may have them, under the same path. */

import type { Api } from '../http/api.ts'
import { findFaces } from '../memory/find-versions.ts'
import type { Problem } from '../project/problem.ts'

const isGamePath = (name: string): boolean => /^\/game(\/[a-z0-9_-]+)+$/.test(name) && name.length <= 1000

/** The content hash of the current version of each that the library has, by name in lower case. */
export async function findPackages(api: Api, names: Iterable<string>): Promise<Map<string, string>> {
  const paths = [...new Set([...names].map((name) => name.toLowerCase()))].filter(isGamePath)
  if (paths.length === 0) return new Map()
  const { lineages } = await findFaces(api, { lineageIds: [], hashes: [], paths })
  const packages = lineages
    .filter(({ source_ext }) => source_ext === null)
    .toSorted((a, b) => a.face_object_id - b.face_object_id)
  return new Map(packages.map(({ origin_path, face_content_hash }) => [origin_path?.toLowerCase() ?? '', face_content_hash]))
}

const missingKinds = new Set<Problem['kind']>(['missing-dependency', 'missing-soft-reference'])

/** What was missing when it was last looked for. */
export const missingPackages = (problems: readonly Problem[]): string[] =>
  problems.flatMap(({ kind, subject }) => (missingKinds.has(kind) && subject !== undefined ? subject : []))
