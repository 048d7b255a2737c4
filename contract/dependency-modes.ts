/**
 * In which versions what a prop needs comes (contract-gaps 9). `as_pushed`: exactly those that it was pushed with. `current`: for each
 * reference what its project has at that path now, else the current version of the same prop; one version of each prop, ordered ones as ordered.
 */
export const dependencyModes = ['as_pushed', 'current'] as const
export type DependencyMode = (typeof dependencyModes)[number]
