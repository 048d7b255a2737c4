/** Packages that files refer to and that are not on this disk: the library may have them, under the same path. */
import type { Api } from '../http/api.ts'
import type { FoundFaces } from '../memory/find-versions.ts'
import type { Problem } from '../project/problem.ts'
import { isRedirector } from '../project/project-file.ts'
import type { PushPlan } from './plan/plan.ts'

const isGamePath = (name: string): boolean => /^\/game(\/[a-z0-9_-]+)+$/.test(name) && name.length <= 1000

/** Those of the packages that the library has at their path, in lower case. */
export async function findPackages(api: Api, names: Iterable<string>): Promise<Set<string>> {
  const paths = [...new Set([...names].map((name) => name.toLowerCase()))].filter(isGamePath)
  return paths.length === 0 ? new Set() : packagesOf(await findAtPaths(api, paths))
}

/** Of packages that are not on this disk those that the library has at their path, and of redirectors those to which it refers. In lower case. */
export async function askAboutPaths(
  api: Api,
  { missing, redirectors }: { missing: Iterable<string>; redirectors: Iterable<string> },
): Promise<{ there: Set<string>; referred: Set<string> }> {
  const sought = [missing, redirectors].map((names) => new Set([...names].map((name) => name.toLowerCase()).filter(isGamePath)))
  const [packages = new Set(), signposts = new Set()] = sought
  const paths = [...packages.union(signposts)]
  if (paths.length === 0) return { there: new Set(), referred: new Set() }
  const found = await findAtPaths(api, paths)
  return { there: packages.intersection(packagesOf(found)), referred: signposts.intersection(new Set(found.referred)) }
}

async function findAtPaths(api: Api, paths: string[]): Promise<FoundFaces> {
  const { findFaces } = await import('../memory/find-versions.ts')
  return findFaces(api, { lineageIds: [], hashes: [], paths })
}

/** The packages of redirectors that a plan leaves out. */
export const redirectorsOf = ({ leftOut }: PushPlan): string[] =>
  leftOut.flatMap((file) => (isRedirector(file) ? (file.naming.packageName ?? []) : []))

const packagesOf = ({ lineages }: FoundFaces): Set<string> =>
  new Set(lineages.flatMap(({ source_ext, origin_path }) => (source_ext === null ? (origin_path?.toLowerCase() ?? []) : [])))

const missingKinds = new Set<Problem['kind']>(['missing-dependency', 'missing-soft-reference'])

/** What was missing when it was last looked for. */
export const missingPackages = (problems: readonly Problem[]): string[] =>
  problems.flatMap(({ kind, subject }) => (missingKinds.has(kind) && subject !== undefined ? subject : []))
