/** The version of the API, and where its addresses begin (spec 9). Loads nothing. */

export const apiMajor = 1

/** Address prefix of every route; it states the version. */
export const apiBase = '/api/v1'

/** The header of every answer that names the version of the client that the server hands out, where it hands out one. */
export const clientVersionHeader = 'x-ph-client-offered'

/** Where a server hands out the client that fits it, below its address. None of them needs a key. */
export const clientPaths = { page: '/install', version: '/install/version', tarball: '/install/prop-house.tgz' } as const
