/** How GUIDs of packages are written down. */

/** GUIDs are compared as 32 upper-case digits, however they are written. */
export function guidKey(guid: string | null | undefined): string | undefined {
  if (!guid) return undefined
  const bare = guid.replaceAll(/[-{}]/g, '').toUpperCase()
  return /^[0-9A-F]{32}$/.test(bare) ? bare : guid
}
