/** Presigned addresses of the built-in store: who holds one may read or write one file for a while, and nothing else. */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { DownloadAs, UploadFile, UploadTarget } from './storage.ts'

/** Where the addresses lie: outside the API, so without key, version header and request budget. */
export const storagePath = '/storage'

export interface DownloadGrant {
  key: string
  contentType: string
  fileName: string | undefined
}

export interface UploadGrant {
  key: string
  sha256: string | undefined
  maxBytes: number
}

/** What a request to an address carries, as it came. */
export interface PresentedAddress {
  key: string
  query: Record<string, string | string[] | undefined>
  headers: Record<string, string | string[] | undefined>
}

const checksumHeader = 'x-amz-checksum-sha256'
/** The headers that an upload must send, in the order in which they are signed; S3 knows the same ones. */
const uploadHeaders = ['content-type', 'if-none-match', checksumHeader] as const

type Signable = readonly (string | number | undefined)[]

/** JSON keeps the parts apart: no two different lists sign alike. */
const sign = (secret: KeyObject, parts: Signable): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(parts.map((part) => (part === undefined ? null : String(part)))))
    .digest('base64url')

function isSigned(secret: KeyObject, parts: Signable, signature: unknown): boolean {
  const expected = Buffer.from(sign(secret, parts))
  const presented = Buffer.from(typeof signature === 'string' ? signature : '')
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

const toUnixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** Unsigned text is not believed yet; a number that is none becomes NaN, which is later than nothing. */
const isOver = (expires: string | undefined, now: Date): boolean => !(Number(expires) > now.getTime() / 1000)

const textOf = (value: string | string[] | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

function addressOf(key: string, query: Record<string, string | number | undefined>): string {
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) sent.set(name, String(value))
  return `${storagePath}/${key}?${sent}`
}

/** The path and query of an address that answers the bytes of `key`. */
export function downloadPath(secret: KeyObject, file: { key: string } & Omit<DownloadAs, 'origin'>): string {
  const { key, contentType: type, fileName: name } = file
  const expires = toUnixSeconds(file.expiresAt)
  return addressOf(key, { expires, type, name, signature: sign(secret, ['GET', key, expires, type, name]) })
}

/** Undefined for an address that was tampered with or has expired. */
export function verifyDownload(
  secret: KeyObject,
  { key, query }: Omit<PresentedAddress, 'headers'>,
  now: Date,
): DownloadGrant | undefined {
  const [expires, type, name] = [textOf(query.expires), textOf(query.type), textOf(query.name)]
  if (!isSigned(secret, ['GET', key, expires, type, name], query.signature) || isOver(expires, now)) return undefined
  return { key, contentType: type ?? 'application/octet-stream', fileName: name }
}

/** An address that takes the bytes of `file.key` once, with exactly these headers. */
export function uploadTarget(secret: KeyObject, file: UploadFile, expiresAt: Date): UploadTarget {
  const headers: Record<string, string> = { 'content-type': file.contentType, 'if-none-match': '*' }
  if (file.sha256 !== undefined) headers[checksumHeader] = Buffer.from(file.sha256, 'hex').toString('base64')
  const [expires, max] = [toUnixSeconds(expiresAt), file.maxBytes]
  const signature = sign(secret, ['PUT', file.key, expires, max, ...uploadHeaders.map((name) => headers[name])])
  return { url: `${file.origin}${addressOf(file.key, { expires, max, signature })}`, headers }
}

/** Undefined for an address that was tampered with or has expired, or when a header is not the one that was listed. */
export function verifyUpload(secret: KeyObject, { key, query, headers }: PresentedAddress, now: Date): UploadGrant | undefined {
  const [expires, max] = [textOf(query.expires), textOf(query.max)]
  const sent = uploadHeaders.map((name) => textOf(headers[name]))
  if (!isSigned(secret, ['PUT', key, expires, max, ...sent], query.signature) || isOver(expires, now)) return undefined
  const checksum = textOf(headers[checksumHeader])
  const sha256 = checksum === undefined ? undefined : Buffer.from(checksum, 'base64').toString('hex')
  return { key, sha256, maxBytes: Number(max) }
}
