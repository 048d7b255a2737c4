/** Which version of this program the server hands out, as its answers to other requests said in passing. */

let offered: string | undefined

/** Takes what a header held; anything but a version is passed over. */
export function learnOffered(header: string | string[] | undefined): void {
  if (typeof header === 'string' && /^[\w.+-]{1,80}$/.test(header)) offered = header
}

/** The last one that a server named to this process. */
export const offeredVersion = (): string | undefined => offered
