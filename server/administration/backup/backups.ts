/** Backups under way: the database is written below the data folder as of one moment, and no sweep removes a file before they are over. */
import { randomBytes } from 'node:crypto'
import { join, relative } from 'node:path'
import { ApiError } from '../../../contract/errors.ts'
import type { Operator } from '../../../contract/operator.ts'
import { ProcessFolder } from '../../../system/process-folder.ts'
import { randomId } from '../../clock.ts'
import { madeOnce } from '../../database/made-once.ts'
import { newestMigration } from '../../database/migrate.ts'
import { atOneMoment } from '../../database/transaction.ts'
import { explainDisk, explained } from '../../disk/failure.ts'
import { requireRoom } from '../../disk/reserve.ts'
import type { Handlers, OperatorContext } from '../../handler.ts'
import { endHold, holdForBackup, holdMs, keepHold, renewHold } from '../../storage/backup-hold.ts'
import { placeOf } from '../files/files.ts'
import { dump } from './dump.ts'
import { type Spooled, SpooledFile } from './spooled-file.ts'

/** Of this process: by the id of each backup what was written for it. A process that was killed leaves its folder to the next backup. */
const spools = new Map<string, ProcessFolder>()
/** Those that are being written. */
const underWay = new Set<string>()
/** Between two words that a hold goes on: it lasts five times as long. */
const renewMs = holdMs / 5

export const backup: Handlers<Operator['backup']> = {
  async begin(request) {
    const { database, settings, clock } = request
    const library = await madeOnce(database, 'library_id', randomBytes(16).toString('hex'))
    await removeLeft(request)
    const id = randomId('bak')
    await holdForBackup(database.sql, id, clock.now())
    try {
      const spooled = await holding(request, id, () => spool(request, id))
      return {
        id,
        place: placeOf(settings),
        library,
        migration: newestMigration(),
        taken_at: request.now.toISOString(),
        ...spooled,
      }
    } catch (error) {
      await over(request, id)
      throw explainDisk(error, settings.dataDir)
    }
  },

  async keep({ sql, clock, input }) {
    if (await keepHold(sql, input.id, clock.now())) return { id: input.id }
    throw new ApiError('NOT_FOUND', 'The server has given this backup up: nothing was heard of it for too long. Take it again.')
  },

  async end(request) {
    await over(request, request.input.id)
    return { id: request.input.id }
  },
}

/** A large database takes longer to be written down than a hold lasts, and who takes the backup knows its id only afterwards. */
async function holding<T>({ database, clock }: OperatorContext, id: string, work: () => Promise<T>): Promise<T> {
  const renew = () => renewHold(database.sql, id, clock.now())
  // The embedded database has one session, which is the dump's: what is asked of it waits until that is over, sweeps too.
  const timer = database.kind === 'postgresql' ? setInterval(() => void renew().catch(() => {}), renewMs) : undefined
  underWay.add(id)
  try {
    const done = await work()
    await renew()
    return done
  } finally {
    clearInterval(timer)
    underWay.delete(id)
  }
}

type Spooling = Pick<OperatorContext, 'database' | 'settings'>

/** PGlite has one session, which is the backup's meanwhile: so this goes to a disk of the server, and from there to wherever it is wanted. */
async function spool({ database, settings }: Spooling, id: string) {
  const { dataDir } = settings
  requireRoom(dataDir)
  const parent = join(dataDir, 'dumps')
  const { dir } = explained(parent, () => remember(id, new ProcessFolder(parent)))
  const room = { requireRoom: () => requireRoom(dataDir) }
  const into = { database: new SpooledFile(join(dir, 'database'), room), files: new SpooledFile(join(dir, 'files'), room) }
  await atOneMoment(database.sql, (sql) => dump(sql, into))
  const below = (file: Spooled) => ({ ...file, path: relative(dataDir, file.path) })
  return { database: below(await into.database.close()), files: below(await into.files.close()) }
}

function remember(id: string, folder: ProcessFolder): ProcessFolder {
  spools.set(id, folder)
  return folder
}

async function over({ database }: Pick<OperatorContext, 'database'>, id: string): Promise<void> {
  spools.get(id)?.close()
  spools.delete(id)
  await endHold(database.sql, id)
}

/** Of backups that nobody speaks of any more. */
async function removeLeft({ database, clock }: OperatorContext): Promise<void> {
  const held = await database.sql<{ id: string }[]>`select id from backup_holds where held_until > ${clock.now().toISOString()}`
  for (const id of [...spools.keys()]) if (!underWay.has(id) && !held.some((one) => one.id === id)) await over({ database }, id)
}
