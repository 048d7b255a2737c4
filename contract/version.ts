/** The version of the API, and where its addresses begin (spec 9). Loads nothing. */

export const apiMajor = 1

/** Address prefix of every route; it states the version. */
export const apiBase = '/api/v1'
