/** Engine versions as packages, projects and editors write them: `5.4.2`, or 0.0.0 where an engine was built without one. */

/** Whether a text says that the version is unknown; whatever an editor prints behind the number is passed over. */
export const isUnknownEngine = (version: string): boolean => /^0+(\.0+)*([^0-9.]|$)/.test(version)

/** The version, or null where it is unknown. */
export const knownEngine = (version: string | null | undefined): string | null =>
  version === null || version === undefined || isUnknownEngine(version) ? null : version

/** Orders versions: major and minor as one number, 0 for an unknown one. Patches do not count (contract-gaps 5). */
export function engineOrder(version: string | null | undefined): number {
  const [major = 0, minor = 0] = (knownEngine(version) ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0)
  return major === 0 ? 0 : major * 100_000 + minor
}

/** Whether what one engine saved is too new for another; never where one of them is unknown. */
export const isNewerEngine = (saved: string | null | undefined, editor: string | null | undefined): boolean =>
  engineOrder(editor) > 0 && engineOrder(saved) > engineOrder(editor)
