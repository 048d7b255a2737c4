/** Opens the bucket that the settings name: asks whether it can be used, and finds out what it can do. */
import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { ApiError } from '../../../contract/errors.ts'
import type { Clock } from '../../clock.ts'
import { SettingError, type Settings } from '../../config.ts'
import type { Logger } from '../../monitoring/log.ts'
import { IncomingFolder } from '../incoming-file.ts'
import { uploadTarget } from '../presigned.ts'
import type { UploadFile } from '../storage.ts'
import { Bucket } from './bucket.ts'
import { readBucketAddress } from './bucket-address.ts'
import { claim } from './owner.ts'
import { probe } from './probe.ts'
import { S3Storage } from './s3-storage.ts'

type BucketSettings = Pick<Settings, 'storageKey' | 'dataDir' | 'directUpload'>

/** Throws SettingError where the store refuses, does not answer, or holds the files of another library. */
export async function openBucket(
  url: string,
  parts: { settings: BucketSettings; clock: Clock; log: Logger; libraryId: string; secret?: KeyObject },
): Promise<S3Storage> {
  const { settings, clock, log } = parts
  const bucket = new Bucket({ address: readBucketAddress(url), key: settings.storageKey, clock })
  const incomingDir = join(settings.dataDir, 'incoming')
  const incoming = new IncomingFolder(incomingDir)
  try {
    const abilities = await probe(bucket, incoming.newPath())
    await claim(bucket, { id: parts.libraryId, newPath: () => incoming.newPath() })
    const { secret } = parts
    const ownTarget = secret && ((file: UploadFile, expiresAt: Date) => uploadTarget(secret, file, expiresAt))
    const storage = new S3Storage({ bucket, abilities, incoming, incomingDir, ownTarget })
    if (settings.directUpload && storage.directUploads === 'none')
      log.warn(
        { bucket: bucket.where, ...abilities },
        'the object storage does not check what it takes: uploads go through this server',
      )
    return storage
  } catch (error) {
    incoming.close()
    bucket.close()
    throw error instanceof ApiError ? new SettingError(`PH_STORAGE_URL cannot be used. ${error.message}`) : error
  }
}
