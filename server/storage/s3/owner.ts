/** Whose files a bucket, or a folder of it, holds: two libraries in one place would take each other's files for their own. */
import { ApiError } from '../../../contract/errors.ts'
import type { Bucket } from './bucket.ts'
import { BucketNote } from './bucket-note.ts'
import { explainStore, isThere } from './failure.ts'

/** Holds the id of the library. */
const ownerKey = 'library'

/** Takes the place for this library, unless another one has it: then it throws UNAVAILABLE. `newPath` gives names on this disk that it may use. */
export async function claim(bucket: Bucket, { id, newPath }: { id: string; newPath: () => string }): Promise<void> {
  const note = new BucketNote(bucket, { key: ownerKey, newPath })
  const owner = (await note.read()) ?? (await take(note, { id, where: bucket.where }))
  if (owner === id) return
  throw new ApiError(
    'UNAVAILABLE',
    `${bucket.where} holds the files of another library. Give each library a folder of its own, as in s3://bucket/folder?endpoint=….`,
  )
}

/** Of two that come at once one is first, where the store keeps the first. */
async function take(note: BucketNote, { id, where }: { id: string; where: string }): Promise<string | undefined> {
  try {
    await note.put(id, true).catch((error: unknown) => {
      if (!isThere(error)) return note.put(id, false)
    })
  } catch (error) {
    throw explainStore(error, where)
  }
  return note.read()
}
