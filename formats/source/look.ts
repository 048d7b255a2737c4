/** How a material of a source file looks, as far as its file says. */

/** Gives the bytes of a file beside the one that is read, by its address relative to it, decoded; undefined for one that is not there. */
export type ReadBeside = (address: string) => Promise<Uint8Array | undefined> | Uint8Array | undefined

/** Red, green, blue, alpha from 0 to 1, linear. */
export type LookColor = readonly [number, number, number, number]

export interface SourceLook {
  /** With a picture, which is multiplied by it. */
  color: LookColor
  /** A picture's file, unread; null without one, or where it is not in the file. */
  image: Uint8Array | null
  /** Of a picture that lies beside the file: relative to it, with slashes. */
  address?: string
  /** Where the picture's alpha cuts holes. */
  isMasked?: boolean
}

export const white: LookColor = [1, 1, 1, 1]

/** Null for the address of what is elsewhere: on the net, or at a place that only one machine knows. */
export function relativeAddress(address: string): string | null {
  return address === '' || /^(?:[\\/]|[a-z][a-z0-9+.-]*:)/i.test(address) ? null : address.replaceAll('\\', '/')
}
