/** Files that another file names by an address relative to its own folder, as glTF does with its buffers and pictures. */

/** The companion's path below the project's root; undefined for an address that leads out of it or is none. */
export function companionPath(file: string, address: string): string | undefined {
  const parts = file.split('/').slice(0, -1)
  for (const part of decodeAddress(address).split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.length > 0 ? parts.join('/') : undefined
}

function decodeAddress(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
