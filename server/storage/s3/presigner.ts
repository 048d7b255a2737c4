/** Presigned addresses of a bucket (AWS Signature Version 4): who holds one may do one thing to one file for a while. */
import type { S3Client } from '@aws-sdk/client-s3'
import { SignatureV4 } from '@smithy/signature-v4'
import type { BucketAddress } from '../../bucket-address.ts'
import type { Clock } from '../../clock.ts'

export interface Presigned {
  method: 'GET' | 'HEAD' | 'PUT'
  key: string
  /** Sent exactly as given, or the store refuses. */
  headers?: Record<string, string>
  query?: Record<string, string>
  expiresAt: Date
}

/** Letters that RFC 3986 keeps for itself are encoded, too. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

export class Presigner {
  readonly #signer: SignatureV4
  readonly #bucket: BucketAddress
  readonly #clock: Clock

  /** Credentials are those of `client`, which gets new ones before they expire. */
  constructor(client: S3Client, bucket: BucketAddress, clock: Clock) {
    const { credentials, sha256 } = client.config
    this.#signer = new SignatureV4({ service: 's3', region: bucket.region, credentials, sha256, uriEscapePath: false })
    this.#bucket = bucket
    this.#clock = clock
  }

  /** `from`: who uses it. Headers stay headers: moved into the query, they would not bind who sends them. */
  async sign(wanted: Presigned, from: 'server' | 'client'): Promise<string> {
    const { bucket, prefix, isPathStyle, endpoint, publicEndpoint } = this.#bucket
    const base = new URL(from === 'server' ? endpoint : publicEndpoint)
    if (!isPathStyle) base.hostname = `${bucket}.${base.hostname}`
    const path = `${isPathStyle ? `/${bucket}` : ''}/${encoded(prefix + wanted.key).replaceAll('%2F', '/')}`
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...wanted.headers, host: base.host }
    const now = this.#clock.now()
    const names = Object.keys(wanted.headers ?? {})
    const signed = await this.#signer.presign(
      { method: wanted.method, protocol: base.protocol, hostname: base.hostname, path, headers, query: { ...wanted.query } },
      {
        signingDate: now,
        expiresIn: Math.max(1, Math.ceil((wanted.expiresAt.getTime() - now.getTime()) / 1000)),
        unhoistableHeaders: new Set(names),
        signableHeaders: new Set([...names, 'host']),
      },
    )
    const query = Object.entries(signed.query ?? {}).map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`)
    return `${base.origin}${path}?${query.join('&')}`
  }
}
