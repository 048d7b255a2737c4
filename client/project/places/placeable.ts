/** What may be placed into a project, whichever way it comes: the one decision that pulls and downloads ask for. Pure. */

import { whyNotPlaced } from '../../../contract/file-kinds.ts'

/** Names of devices, with whatever extension, that Windows opens instead of a file. */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])$/i
/** `stem`: a name up to its first dot. */
export const isDeviceName = (stem: string): boolean => deviceName.test(stem.trimEnd())

/** What Windows has in no name, or drops from its end: the file would have another name than the one that was looked at. */
const notOnWindows = /[<>:"|?*\\\p{Cc}]|[. ]$/u
/** `PROGRA~1`: what Windows calls a folder beside its own name. */
const shortName = /~\d+(\.|$)/

/** Why a file is not placed, as the end of a sentence about it; undefined where it may be. `path` is below a Content folder, with `/`. */
export function whyNotInContent(path: string): string | undefined {
  return path.split('/').map(faultOfName).find(Boolean) ?? whyNotPlaced(path)
}

/** Why Windows cannot have a file at this path, as the end of a sentence about it; undefined where it can. With `/`. */
export function whyNotOnWindows(path: string): string | undefined {
  for (const name of path.split('/')) {
    if (isDeviceName(name.split('.')[0] ?? '')) return `has ${name} in its path, the name of a device on Windows`
    if (notOnWindows.test(name)) return `has ${name} in its path, a name that Windows cannot have`
  }
  return undefined
}

function faultOfName(name: string): string | undefined {
  if (isDeviceName(name.split('.')[0] ?? '')) return `would lie at ${name}, which is the name of a device on Windows`
  if (name.startsWith('.') || notOnWindows.test(name) || shortName.test(name))
    return 'has a name in its path that means something else on another system'
  return undefined
}
