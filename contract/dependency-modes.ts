/** In which versions what a prop needs comes (contract-gaps 9). */
import { Type } from 'typebox'
import { limits } from './limits.ts'
import { named, oneOf } from './shapes.ts'

/**
 * `as_pushed`: exactly those that it was pushed with. `current`: for each reference what its project has at that path now, else the current
 * version of the same prop; one version of each prop, ordered ones as ordered.
 */
export const dependencyModes = ['as_pushed', 'current'] as const
export type DependencyMode = (typeof dependencyModes)[number]

/** What a closure may be asked for: `as_pushed` where it is absent; by whose pushes references are read first, the version's first push where it is absent. */
export const closureQuery = {
  dependencies: Type.Optional(oneOf(dependencyModes)),
  project: Type.Optional(named(limits.pullJob.projectName)),
}
