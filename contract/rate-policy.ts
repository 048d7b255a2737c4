/** How an answer says what its key may make in a minute: `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), an addition. */

export const ratePolicyHeader = 'ratelimit-policy'
/** Characters of the number. */
export const longestPolicy = 12

/** `name`: of the budget that the request counted against. */
export const ratePolicy = (name: string, perMinute: number): string => `"${name}";q=${perMinute};w=60`

/** Requests per minute; undefined for a header that is not there, or says something else. */
export function readPolicy(header: string | string[] | undefined): number | undefined {
  const quota = typeof header === 'string' ? /^"[a-z]{1,20}";q=(\d{1,12});w=60$/.exec(header)?.[1] : undefined
  return quota === undefined || Number(quota) === 0 ? undefined : Number(quota)
}
