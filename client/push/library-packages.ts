/** Packages that files refer to and that are not on this disk: the library may have them, under the same path. */

import type { Api } from '../http/api.ts'
import { findFaces } from '../memory/find-versions.ts'
import type { Problem } from '../project/problem.ts'

const isGamePath = (name: string): boolean => /^\/game(\/[a-z0-9_-]+)+$/.test(name) && name.length <= 1000

/** Those of the packages that the library has at their path, in lower case. */
export async function findPackages(api: Api, names: Iterable<string>): Promise<Set<string>> {
  const paths = [...new Set([...names].map((name) => name.toLowerCase()))].filter(isGamePath)
  if (paths.length === 0) return new Set()
  const { lineages } = await findFaces(api, { lineageIds: [], hashes: [], paths })
  return new Set(
    lineages.flatMap(({ source_ext, origin_path }) => (source_ext === null ? (origin_path?.toLowerCase() ?? []) : [])),
  )
}

const missingKinds = new Set<Problem['kind']>(['missing-dependency', 'missing-soft-reference'])

/** What was missing when it was last looked for. */
export const missingPackages = (problems: readonly Problem[]): string[] =>
  problems.flatMap(({ kind, subject }) => (missingKinds.has(kind) && subject !== undefined ? subject : []))
