/** What this machine remembers of one library in its other project folders. */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'

export interface OtherMemories {
  /** Of the project at hand, whose own memory is not looked into. */
  stateFile: string
  /** Address of the workspace. */
  address: string
}

export interface RememberedVersion {
  lineageId: string
  objectId: number
}

/** Which of these versions a file of another project folder on this machine is, or was made from. By object id. */
export function findInOtherFolders({ stateFile, address }: OtherMemories, versions: readonly RememberedVersion[]): Set<number> {
  const found = new Set<number>()
  const folder = dirname(stateFile)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.sqlite') || path === stateFile) continue
    for (const objectId of versionsIn(path, address, versions)) found.add(objectId)
  }
  return found
}

/** A memory that cannot be read, or has an older layout, proves nothing. */
function versionsIn(path: string, address: string, versions: readonly RememberedVersion[]): number[] {
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true, fileMustExist: true })
    const about = db.prepare("select value from remembered where key = 'address'").pluck().get()
    if (about !== address) return []
    const query = db.prepare('select 1 from file where object_id = ? and lineage_id = ? limit 1').pluck()
    return versions.flatMap(({ objectId, lineageId }) => (query.get(objectId, lineageId) === 1 ? objectId : []))
  } catch (error) {
    if (error instanceof Database.SqliteError) return []
    throw error
  } finally {
    db?.close()
  }
}
