/** Opens the place where bytes lie: files below the data folder. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.ts'
import { SettingError, type Settings } from '../config.ts'
import type { Database } from '../database/open.ts'
import { explainDisk } from '../disk/failure.ts'
import type { FrontDoor } from '../front-door/enter.ts'
import type { Logger } from '../monitoring/log.ts'
import { CountedStorage } from './counted-storage.ts'
import { FileStorage } from './fs.ts'
import { Ledger } from './ledger.ts'
import { mountPresigned } from './presigned-routes.ts'
import type { Storage } from './storage.ts'

export interface OpenedStorage {
  storage: CountedStorage
  ledger: Ledger
  /** What `storage` keeps its bytes in: nothing that happens here is counted. */
  files: Storage
  /** The file behind a key, to read from; undefined where nothing is kept. */
  localPath: (key: string) => string | undefined
  mountStorage: (app: FastifyInstance) => void
}

interface StorageParts {
  settings: Settings
  database: Database
  clock: Clock
  log: Logger
  frontDoor: FrontDoor
}

export async function openStorage(parts: StorageParts): Promise<OpenedStorage> {
  if (parts.settings.storageUrl)
    throw new SettingError(
      'PH_STORAGE_URL is set, but this version keeps files below the data folder only. Take it out of the environment.',
    )
  const secret = await signingSecret(parts.database)
  const files = openFiles(join(parts.settings.dataDir, 'storage'), secret)
  const ledger = new Ledger(parts.database, (err) =>
    parts.log.warn({ err }, 'uploads could not be written down; this is tried again'),
  )
  const storage = new CountedStorage(files, ledger, parts.clock)
  const mountStorage = (app: FastifyInstance) => {
    mountPresigned(app, { ...parts, files, storage, secret })
    app.addHook('onClose', async () => {
      await ledger.close()
      files.close()
    })
  }
  return { storage, ledger, files, localPath: (key) => files.find(key)?.path, mountStorage }
}

function openFiles(root: string, secret: KeyObject): FileStorage {
  try {
    return new FileStorage(root, secret)
  } catch (error) {
    throw explainDisk(error, root)
  }
}

/** Presigned addresses are signed with one secret that all processes on one database share; the first one makes it. */
async function signingSecret({ sql }: Database): Promise<KeyObject> {
  const made = randomBytes(32).toString('base64')
  await sql`insert into settings (name, value) values ('storage_secret', ${made}) on conflict do nothing`
  const [row] = await sql<{ value: string }[]>`select value from settings where name = 'storage_secret'`
  return createSecretKey(row?.value ?? '', 'base64')
}
