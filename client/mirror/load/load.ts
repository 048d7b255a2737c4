/**
 * Loads a mirror: by the export where the server has one, else by the pages of GET /entries (spec 4.6; contract-gaps 9). The feed's head
 * is heard first and written last, in a file of its own that counts only when it is whole: no cursor is ever ahead of its data.
 *
 * What came of a load that was cut or stopped is kept, and the next one goes on behind it. Where an export brings nothing twice in turn,
 * the pages are read instead.
 */
import Database from 'better-sqlite3'
import { ApiError } from '../../../contract/errors.ts'
import { type ClientError, isUnanswered } from '../../client-error.ts'
import type { Api } from '../../http/api.ts'
import { pause as realPause } from '../../http/pause.ts'
import type { Mirror } from '../mirror.ts'
import { ExportLoad } from './export-load.ts'
import type { LoadOptions } from './news.ts'
import { loadPages } from './pages.ts'

const cutsBeforePages = 2

/** Fills the file of a new mirror, and closes it; gives how many entries are in it. */
export type Fill = (mirror: Mirror, api: Api, options: LoadOptions) => Promise<number>

/** What is loaded replaces what there is when it is whole; until then that serves. The caller holds the mirror's lock. */
export async function loadMirror(
  mirror: Mirror,
  api: Api,
  { fill = fillMirror, ...options }: LoadOptions & { fill?: Fill | undefined } = {},
): Promise<{ entries: number }> {
  mirror.files.make()
  const entries = await fill(mirror, api, options)
  try {
    mirror.close()
    mirror.files.adopt()
    mirror.files.removeOld()
  } catch (error) {
    throw mirror.failure(error)
  }
  options.tell?.({ kind: 'loaded', entries })
  return { entries }
}

export async function fillMirror(mirror: Mirror, api: Api, options: LoadOptions): Promise<number> {
  try {
    return (await loadExports(mirror, api, options)) ?? (await loadPages(mirror, api, options))
  } catch (error) {
    throw mirror.failure(error)
  }
}

/** Undefined where there is no export, or only one that is cut again and again before it brings anything. */
async function loadExports(mirror: Mirror, api: Api, options: LoadOptions): Promise<number | undefined> {
  if (hasPages(mirror)) return undefined
  for (let cuts = 0; cuts < cutsBeforePages; cuts++) {
    const load = ExportLoad.begin(mirror)
    const { entries } = load
    try {
      return await load.run(api, options)
    } catch (error) {
      const isWithout = isWithoutExport(error)
      load.leave({ keep: !isWithout && !(error instanceof Database.SqliteError) })
      if (isWithout) return undefined
      if (!isCut(error)) throw error
      options.tell?.({ kind: 'cut', entries: load.entries })
      if (load.entries > entries) cuts = -1
      await (options.pause ?? realPause)(1000, options.signal)
    }
  }
  return undefined
}

/** 422: a server that cannot go on behind an entry. */
const isWithoutExport = (error: unknown): boolean => error instanceof ApiError && [403, 404, 405, 422].includes(error.status)

const isCut = (error: unknown): boolean => isUnanswered(error) && !isFirstContact(error)

/** The stream never began: nobody was reached. */
const isFirstContact = (error: ClientError): boolean => error.details.began === false

/** Pages of an earlier start wait to be gone on with. */
function hasPages(mirror: Mirror): boolean {
  try {
    const db = new Database(mirror.files.loading, { readonly: true, fileMustExist: true })
    try {
      return db.prepare("select value from meta where name = 'page_cursor'").get() !== undefined
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}
