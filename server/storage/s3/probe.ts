/** What this store can do, found out by trying: not every store does all that the protocol says. */
import { createHash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import type { Bucket } from './bucket.ts'
import { explainStore, isOtherBytes, isThere } from './failure.ts'

export interface Abilities {
  /** It refuses bytes that are not those whose hash was signed. */
  verifies: boolean
  /** It never puts bytes in the place of others where it is asked not to. */
  keepsFirst: boolean
}

/** Writes and removes two small files below `probe/`. `path`: a name on this machine's disk that it may use. Throws why the store cannot be used. */
export async function probe(bucket: Bucket, path: string): Promise<Abilities> {
  const bytes = randomBytes(64)
  const [right, other] = [bytes, randomBytes(64)].map((one) => createHash('sha256').update(one).digest('hex'))
  if (right === undefined || other === undefined) throw new Error('two hashes were made')
  const keys = [`probe/${right}`, `probe/${other}`] as const
  const put = (key: string, sha256: string, isNew: boolean) => bucket.put(key, { path, size: bytes.length, sha256 }, isNew)
  writeFileSync(path, bytes, { mode: 0o600 })
  try {
    // The plainest write first: what fails here fails for its key, its bucket or the way to it.
    await put(keys[0], right, false)
    const verifies = await refuses(() => put(keys[1], other, false), isOtherBytes)
    const keepsFirst = await refuses(() => put(keys[0], right, true), isThere)
    return { verifies, keepsFirst }
  } catch (error) {
    throw explainStore(error, bucket.where)
  } finally {
    rmSync(path, { force: true })
    await bucket.remove(keys).catch(() => {})
  }
}

/** A store that refuses for another reason, such as one that knows no conditions (501), does not do it either. */
async function refuses(attempt: () => Promise<void>, asItShould: (error: unknown) => boolean): Promise<boolean> {
  try {
    await attempt()
    return false
  } catch (error) {
    return asItShould(error)
  }
}
