/** Engine versions as packages, projects and editors write them: `5.4.2`, or 0.0.0 where an engine was built without one. */

/** Whether a text says that the version is unknown; whatever an editor prints behind the number is passed over. */
export const isUnknownEngine = (version: string): boolean => /^0+(\.0+)*([^0-9.]|$)/.test(version)

/** The version, or null where it is unknown. */
export const knownEngine = (version: string | null | undefined): string | null =>
  version === null || version === undefined || isUnknownEngine(version) ? null : version
