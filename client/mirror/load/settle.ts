/** The end of a load: what is quicker made of all rows at once than row by row. */
import type Database from 'better-sqlite3'
import { indexStatements } from '../mirror.ts'

/** Indexes, and the words in one piece, step by step: others of this process have something to do too. */
export async function settle(db: Database.Database, signal?: AbortSignal): Promise<void> {
  for (const statement of indexStatements()) {
    signal?.throwIfAborted()
    db.exec(statement)
    await new Promise(setImmediate)
  }
  db.exec(`insert into words (words, rank) values ('hashsize', ${usualHashBytes})`)
  await mergeWords(db, signal)
  db.pragma('analysis_limit = 1000')
  db.exec('analyze')
}

const usualHashBytes = 1024 * 1024
const pagesAtOnce = 2000

async function mergeWords(db: Database.Database, signal: AbortSignal | undefined): Promise<void> {
  const changes = db.prepare('select total_changes()').pluck()
  // A negative number begins to merge all of it; from then on fewer than two changes mean that it is done.
  for (let pages = -pagesAtOnce; ; pages = pagesAtOnce) {
    signal?.throwIfAborted()
    const before = changes.get() as number
    db.exec(`insert into words (words, rank) values ('merge', ${pages})`)
    if ((changes.get() as number) - before < 2) return
    await new Promise(setImmediate)
  }
}
