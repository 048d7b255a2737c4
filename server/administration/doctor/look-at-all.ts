/** The examination of a server: every look at once, none for long. */
import { join } from 'node:path'
import type { Operator } from '../../../contract/operator.ts'
import type { Finding } from '../../../system/finding.ts'
import type { Clock } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import type { Handlers } from '../../handler.ts'
import { lookAtAddress } from './address.ts'
import { lookAtDatabase } from './database.ts'
import { lookAtRoom, lookAtStorage } from './disk.ts'
import { lookAtDiskKind } from './disk-kind.ts'
import { embedderMs, lookAtEmbedder } from './embedder.ts'
import { lookAt } from './look.ts'
import { lookAtDataFolder, lookAtProvisionFile } from './permissions.ts'

export const doctor: Handlers<Operator['doctor']> = {
  async examine({ database, settings, clock, isServer }) {
    const [inside, outside] = await Promise.all([
      lookAt('database', () => lookAtDatabase(database, clock)),
      lookAround({ settings, clock, isRunning: isServer }),
    ])
    return { settings: [...settings.told], findings: [...inside, ...outside] }
  },
}

/** What can be seen without the database. */
export async function lookAround(seen: { settings: Settings; clock: Clock; isRunning: boolean }): Promise<readonly Finding[]> {
  const { settings, clock, isRunning } = seen
  const { dataDir } = settings
  const storage = join(dataDir, 'storage')
  const looks = await Promise.all([
    lookAt('storage', () => lookAtFiles(settings, clock)),
    lookAt('disk', () => lookAtRoom([dataDir, join(dataDir, 'database'), storage])),
    lookAt('file system', () => lookAtDiskKind(settings)),
    lookAt('data folder', () => [...lookAtDataFolder(dataDir), ...lookAtProvisionFile(settings.provisionFile)]),
    lookAt('public address', () => lookAtAddress(settings, isRunning)),
    lookAt('search by look', () => lookAtEmbedder(settings, clock), embedderMs),
  ])
  return looks.flat()
}

async function lookAtFiles(settings: Settings, clock: Clock): Promise<Finding[]> {
  const { storageUrl, dataDir } = settings
  if (storageUrl === undefined) return lookAtStorage(join(dataDir, 'storage'), clock)
  // Loaded where it is used only: it takes a third of a second.
  const { lookAtBucket } = await import('./bucket.ts')
  return lookAtBucket({ ...settings, storageUrl }, clock)
}
