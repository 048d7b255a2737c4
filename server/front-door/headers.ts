/** Headers in which programs say what they are: `X-PH-Client: <name>/<version>`, which decides nothing (spec 1 and 9), and the API version that they speak: another major is refused unprocessed (spec 9). */

import { ApiError } from '../../contract/errors.ts'
import { apiMajor } from '../../contract/index.ts'

/** What is kept of it; anything else is passed over. */
const pattern = /^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}\/[A-Za-z0-9._+-]{1,40}$/

export const readClientName = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && pattern.test(header) ? header : undefined

/** `path` is what follows the origin and workspace, such as `/api/v1/entries`. */
export function refuseOtherVersion(path: string, header: string | string[] | undefined): void {
  const inPath = /^\/api\/v(\d{1,9})(?=\/|$|\?)/.exec(path)?.[1]
  if (inPath !== undefined && Number(inPath) !== apiMajor) throw otherVersion(`v${inPath}`, 'path')
  if (header !== undefined && header !== String(apiMajor)) throw otherVersion(String(header), 'header')
}

const otherVersion = (declared: string, source: 'path' | 'header') =>
  new ApiError(
    'UPGRADE_REQUIRED',
    `This server speaks version ${apiMajor} of the API; the request declares "${declared.slice(0, 40)}".`,
    {
      server_major: apiMajor,
      declared: declared.slice(0, 40),
      source,
    },
  )
