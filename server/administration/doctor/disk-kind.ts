/** A look at what kind of disk the data folder lies on: whether a lock and a power cut do there what the server relies on. */
import { join } from 'node:path'
import { type DiskKind, diskKindOf } from '../../../system/disk-kind.ts'
import { type Finding, fault, fine, note, warning } from '../../../system/finding.ts'
import type { Settings } from '../../config.ts'
import { networkRefusal } from '../../database/embedded/hold-folder.ts'

/** The database, where it is embedded, and the files, where they lie on another kind of disk. */
export function lookAtDiskKind({ dataDir, databaseUrl, networkDisk }: Settings): Finding[] {
  const files = join(dataDir, 'storage')
  const filesKind = diskKindOf(files)
  if (databaseUrl !== undefined) return [filesFinding(files, filesKind)]
  const database = join(dataDir, 'database')
  const databaseKind = diskKindOf(database)
  const found = databaseFinding(database, databaseKind, networkDisk)
  return filesKind.name === databaseKind.name ? [found] : [found, filesFinding(files, filesKind)]
}

const check = 'file system'
const toLocal = 'Move the data folder to a disk of this machine.'

function databaseFinding(dir: string, kind: DiskKind, networkDisk: boolean): Finding {
  if (kind.reach !== 'network') return filesFinding(dir, kind)
  const next = `${toLocal} Or keep the database in PostgreSQL (PH_DATABASE_URL).`
  if (!networkDisk) return fault(check, networkRefusal(dir, kind), next)
  return warning(
    check,
    `The embedded database in ${dir} lies on ${kind.name}, which PH_NETWORK_DISK=allow lets it: a second server there is noticed within seconds, and a disk that goes away ends this one.`,
    next,
  )
}

function filesFinding(dir: string, kind: DiskKind): Finding {
  const said = `${dir} lies on ${kind.name}`
  if (kind.reach === 'local') return fine(check, `${said}.`)
  if (kind.reach === 'plain')
    return warning(
      check,
      `${said}: it has no journal, so that a power cut may damage what was acknowledged, and no owners, so that others may read it.`,
      toLocal,
    )
  if (kind.reach === 'network')
    return note(
      check,
      `${said}: files are safe there as far as its server writes through before it answers (NFS: export with sync, mount with hard).`,
    )
  return note(check, `${said}: whether its locks hold between machines is not known.`)
}
