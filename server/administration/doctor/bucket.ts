/** A look at the bucket where files lie: can it be reached and written to with this key, and does the store check what it takes. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../../../contract/errors.ts'
import { type Finding, fault, fine, note } from '../../../system/finding.ts'
import { type Clock, randomId } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import { Bucket } from '../../storage/s3/bucket.ts'
import { readBucketAddress } from '../../storage/s3/bucket-address.ts'
import { type Abilities, probe } from '../../storage/s3/probe.ts'

/** Four attempts of it end before the look does. */
const silenceMs = 1500

export async function lookAtBucket(
  { storageUrl, storageKey, directUpload }: Pick<Settings, 'storageKey' | 'directUpload'> & { storageUrl: string },
  clock: Clock,
): Promise<Finding[]> {
  const bucket = new Bucket({ address: readBucketAddress(storageUrl), key: storageKey, clock, silenceMs })
  try {
    const abilities = await probe(bucket, join(tmpdir(), randomId('probe')))
    return [fine('object storage', `${bucket.where} can be written to.`), lookAtUploads(abilities, directUpload)]
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const next = 'See whether PH_STORAGE_URL, PH_STORAGE_KEY and PH_STORAGE_SECRET are right, and whether the store runs.'
    return [fault('object storage', error.message, next)]
  } finally {
    bucket.close()
  }
}

function lookAtUploads({ verifies, keepsFirst }: Abilities, isWanted: boolean): Finding {
  if (!isWanted) return note('uploads', 'PH_DIRECT_UPLOAD is off: all files go through this server.')
  if (verifies && keepsFirst) return fine('uploads', 'The store checks what it takes: clients send files to it directly.')
  const lacks = verifies ? 'puts files in the place of others' : 'takes files without checking their SHA-256'
  return note('uploads', `The store ${lacks}: all files go through this server, which checks them.`)
}
