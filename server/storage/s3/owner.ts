/** Whose files a bucket, or a folder of it, holds: two libraries in one place would take each other's files for their own. */
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { ApiError } from '../../../contract/errors.ts'
import type { Bucket } from './bucket.ts'
import { explainStore, isMissing, isThere } from './failure.ts'

/** Holds the id of the library. Not below a number, as files of workspaces are. */
const ownerKey = 'library'
const longestId = 200

/** Takes the place for this library, unless another one has it: then it throws UNAVAILABLE. `path`: a name on this disk that it may use. */
export async function claim(bucket: Bucket, { id, path }: { id: string; path: string }): Promise<void> {
  const owner = (await ownerOf(bucket)) ?? (await take(bucket, { id, path }))
  if (owner === id) return
  throw new ApiError(
    'UNAVAILABLE',
    `${bucket.where} holds the files of another library. Give each library a folder of its own, as in s3://bucket/folder?endpoint=….`,
  )
}

async function ownerOf(bucket: Bucket): Promise<string | undefined> {
  try {
    return await bucket.get(ownerKey, ({ body }) => body.text(), `bytes=0-${longestId}`)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw explainStore(error, bucket.where)
  }
}

/** Of two that come at once one is first, where the store keeps the first. */
async function take(bucket: Bucket, { id, path }: { id: string; path: string }): Promise<string | undefined> {
  const sha256 = createHash('sha256').update(id).digest('hex')
  writeFileSync(path, id, { mode: 0o600 })
  try {
    await bucket.put(ownerKey, { path, size: Buffer.byteLength(id), sha256 }, true).catch((error: unknown) => {
      if (!isThere(error)) return bucket.put(ownerKey, { path, size: Buffer.byteLength(id), sha256 }, false)
    })
    return await ownerOf(bucket)
  } catch (error) {
    throw explainStore(error, bucket.where)
  } finally {
    rmSync(path, { force: true })
  }
}
