/** Opens the place where bytes lie: files below the data folder, or a bucket. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.ts'
import { SettingError, type Settings } from '../config.ts'
import { madeOnce } from '../database/made-once.ts'
import type { Database } from '../database/open.ts'
import { explainDisk } from '../disk/failure.ts'
import type { FrontDoor } from '../front-door/enter.ts'
import type { Places } from '../front-door/places.ts'
import type { Logger } from '../monitoring/log.ts'
import { CountedStorage } from './counting/counted-storage.ts'
import { Ledger } from './counting/ledger.ts'
import { FileStorage } from './fs.ts'
import type { Note } from './note.ts'
import { mountPresigned, mountUploads } from './presigned-routes.ts'
import type { Storage } from './storage.ts'

export interface OpenedStorage {
  storage: CountedStorage
  ledger: Ledger
  /** What `storage` keeps its bytes in: nothing that happens here is counted. */
  files: Storage
  /** Where is written down how far the feeds had come. */
  headNote: Note
  /** Adds addresses of its own, where it has some; and ends it with the application. */
  mountStorage: (app: FastifyInstance) => void
}

interface FileParts {
  settings: Settings
  database: Database
  clock: Clock
  log: Logger
}

/** What addresses of its own need. */
interface ServingParts {
  frontDoor: FrontDoor
  answers: Places
}

export async function openStorage(parts: FileParts & ServingParts): Promise<OpenedStorage> {
  const { database, clock, log, frontDoor, answers } = parts
  const { files, headNote, mount, close } = await openPlace(parts)
  const ledger = new Ledger(database, (err) => log.warn({ err }, 'uploads could not be written down; this is tried again'))
  const storage = new CountedStorage(files, { ledger, clock, database })
  const mountStorage = (app: FastifyInstance) => {
    mount?.(app, { storage, frontDoor, answers })
    app.addHook('onClose', async () => {
      await ledger.close()
      close()
    })
  }
  return { storage, ledger, files, headNote, mountStorage }
}

/** Where bytes lie, for who has no application: nothing is counted. */
export const openFilesAlone = (parts: FileParts): Promise<Pick<Place, 'files' | 'close'>> => openPlace(parts)

interface Place {
  files: Storage
  headNote: Note
  mount?: (app: FastifyInstance, over: ServingParts & { storage: Storage }) => void
  close: () => void
}

const headKey = 'head'

async function openPlace(parts: FileParts): Promise<Place> {
  const secret = await signingSecret(parts.database)
  const { storageUrl, dataDir, accel } = parts.settings
  if (storageUrl !== undefined) {
    if (accel !== undefined)
      throw new SettingError(
        'PH_ACCEL lets nginx send files of a disk; with PH_STORAGE_URL they come from the object storage. Set one of them.',
      )
    // Loaded where it is used only: it takes a third of a second.
    const { openBucket } = await import('./s3/open-bucket.ts')
    const libraryId = await madeOnce(parts.database, 'library_id', randomBytes(16).toString('hex'))
    const files = await openBucket(storageUrl, { ...parts, libraryId, secret })
    const mount: Place['mount'] = (app, over) => mountUploads(app, { ...parts, ...over, secret })
    return { files, headNote: files.note(headKey), mount, close: () => files.close() }
  }
  const files = openFiles(join(dataDir, 'storage'), secret)
  const mount: Place['mount'] = (app, over) => mountPresigned(app, { ...parts, files, ...over, secret })
  return { files, headNote: files.note(headKey), mount, close: () => files.close() }
}

function openFiles(root: string, secret: KeyObject): FileStorage {
  try {
    return new FileStorage(root, secret)
  } catch (error) {
    throw explainDisk(error, root)
  }
}

/** Presigned addresses are signed with one secret that all processes on one database share. */
const signingSecret = async (database: Database): Promise<KeyObject> =>
  createSecretKey(await madeOnce(database, 'storage_secret', randomBytes(32).toString('base64')), 'base64')
