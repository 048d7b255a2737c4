/** Files larger than a store takes in one piece. Their hash was checked before: of the parts each is bound to its own. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { type Bucket, bindHash, type LocalFile } from './bucket.ts'

export interface Pieces {
  /** The most that goes in one piece: 5 GiB for AWS. */
  mostBytes: number
  partBytes: number
}

/** 10,000 parts are the most: enough for 1 TiB. */
export const usualPieces: Pieces = { mostBytes: 5 * 1024 ** 3, partBytes: 128 * 1024 ** 2 }

/** One part after the other. A file that does not come to its end leaves nothing behind. */
export async function putInParts(bucket: Bucket, key: string, file: LocalFile & Pick<Pieces, 'partBytes'>): Promise<void> {
  const name = bucket.nameOf(key)
  const { client } = bucket
  const begin = new CreateMultipartUploadCommand({ ...name, ContentType: 'application/octet-stream' })
  const { UploadId } = await bucket.send((abortSignal) => client.send(begin, { abortSignal }))
  const upload = { ...name, UploadId }
  try {
    const Parts: CompletedPart[] = []
    for (let start = 0; start < file.size; start += file.partBytes) {
      const part = { path: file.path, start, size: Math.min(file.partBytes, file.size - start), number: Parts.length + 1 }
      Parts.push({ PartNumber: part.number, ETag: await putPart(bucket, upload, part) })
    }
    const end = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
    await bucket.send((abortSignal) => client.send(end, { abortSignal }), file.size)
  } catch (error) {
    await bucket.send((abortSignal) => client.send(new AbortMultipartUploadCommand(upload), { abortSignal })).catch(() => {})
    throw error
  }
}

async function putPart(
  bucket: Bucket,
  upload: ReturnType<Bucket['nameOf']> & { UploadId: string | undefined },
  { path, start, size, number }: { path: string; start: number; size: number; number: number },
): Promise<string | undefined> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { start, end: start + size - 1 }), hash)
  const sha256 = hash.digest('hex')
  const { ETag } = await bucket.sending({ path, start, size }, (Body) => {
    const command = new UploadPartCommand({ ...upload, PartNumber: number, Body, ContentLength: size })
    bindHash(command, sha256)
    return bucket.client.send(command, { abortSignal: bucket.limitFor(size) })
  })
  return ETag
}
