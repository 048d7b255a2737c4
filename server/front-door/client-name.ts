/** `X-PH-Client: <name>/<version>`: which program is asking, as it says itself (spec 1 and 9). It decides nothing. */

/** What is kept of it; anything else is passed over. */
const pattern = /^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}\/[A-Za-z0-9._+-]{1,40}$/

export const readClientName = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && pattern.test(header) ? header : undefined
