/** The previews of a project's files, after a push: what the library still wants of them is made here and sent. */
import { join } from 'node:path'
import { limits } from '../../contract/limits.ts'
import { isPreviewedType, queuedTypes } from '../../previews/previewed-types.ts'
import type { SourceThreads } from '../../previews/threads/source-threads.ts'
import { projectStateFile } from '../folders.ts'
import { type Api, createApi } from '../http/api.ts'
import { openWire, type Wire } from '../http/open-http.ts'
import { takeInNews } from '../memory/news.ts'
import { ProjectMemory, type PushedFile } from '../memory/project-memory.ts'
import type { TellMedia } from '../progress.ts'
import { GivenUp } from './given-up.ts'
import { findMediaJobs } from './media-jobs.ts'
import { MediaRun } from './media-run.ts'
import { emptyReport, isOpen, type MediaReport } from './report.ts'

export interface ProjectMediaOptions extends Wire {
  /** Folder of the project. */
  root: string
  tell?: TellMedia
  /** Threads that were prepared for it; it ends them. */
  threads?: SourceThreads | undefined
}

export interface ProjectMedia {
  report: MediaReport
  /** Whether something may still be wanted. */
  isDue: boolean
  /** What ended it early, thrown by the library, by this machine, or by the signal. The rest is made next time. */
  error?: unknown
}

/** Entries that are asked about and made together: as few as keep two cores busy, so that what others made meanwhile is not made again. */
const atOnce = 64

/** Never throws: the push is done, and `error` has what ended its previews. */
export async function makeProjectMedia(options: ProjectMediaOptions): Promise<ProjectMedia> {
  try {
    return await openAndMake(options)
  } catch (error) {
    return { report: emptyReport(), isDue: true, error }
  }
}

async function openAndMake(options: ProjectMediaOptions): Promise<ProjectMedia> {
  const { url, root, folders, signal, tell = () => {}, threads } = options
  const givenUp = new GivenUp(folders, url, 'push')
  const memory = new ProjectMemory(projectStateFile(folders, url, root), { address: url, root })
  const http = openWire(options, tell)
  const api = createApi(http)
  const progress = { done: 0, total: 0 }
  const onDone = () => tell({ kind: 'previews', ...progress, done: ++progress.done })
  const run = new MediaRun({ http, api, givenUp, signal, tier: 'push', threads, onDone })
  try {
    const asOf = memory.recall('previews')
    const files = await findCandidates(api, memory.findPushed())
    progress.total = files.size
    for (const part of partsOf([...files.keys()])) {
      signal?.throwIfAborted()
      const wanted = (await findMediaJobs(part, { calls: api, givenUp })).flatMap((one) => {
        const file = files.get(one.entryId)
        return file?.objectId === one.objectId && file.hash === one.hash
          ? [{ ...one, path: join(root, file.file), fileName: nameOf(file) }]
          : []
      })
      progress.total -= part.length - wanted.length
      tell({ kind: 'previews', ...progress })
      await run.take(wanted)
    }
    const { report } = run
    if (progress.done > 0) await takeInOwnNews(api, memory)
    // Another push may have sent something meanwhile.
    const isDue = isOpen(report) || memory.recall('previews') !== asOf
    if (!isDue) memory.remember('previews', null)
    return { report, isDue }
  } catch (error) {
    return { report: run.report, isDue: true, error }
  } finally {
    await run.end()
    givenUp.close()
    memory.close()
    await http.close(signal?.aborted ? 'destroy' : 'finish')
  }
}

/** What was sent is news of the library too: taken in here, so that a push with nothing to do need not read it. */
async function takeInOwnNews(api: Api, memory: ProjectMemory): Promise<void> {
  const position = await takeInNews(api, memory)
  if (position) memory.remember('feed', position)
}

const nameOf = ({ file }: PushedFile): string => file.slice(file.lastIndexOf('/') + 1)

const partsOf = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, at) => ids.slice(at * atOnce, (at + 1) * atOnce))

/**
 * Files of which something may be wanted, by entry: one question for all packages, which the queue lists. Source files are in no queue, and
 * neither is what comes after its longest page: those are asked about one by one.
 */
async function findCandidates(api: Api, pushed: readonly PushedFile[]): Promise<Map<number, PushedFile>> {
  const isSource = ({ kind, what }: PushedFile) => kind === 'source' && isPreviewedType(what)
  const isQueued = ({ kind, what }: PushedFile) => kind === 'package' && queuedTypes.some((type) => type === what)
  const { items } = pushed.some((file) => !isSource(file))
    ? await api.media.previewQueue({ limit: limits.queuePage.max })
    : { items: [] }
  const isWhole = items.length < limits.queuePage.max
  const queued = new Set(items.map(({ object_id }) => object_id))
  const candidates = pushed.filter((file) => queued.has(file.objectId) || isSource(file) || (!isWhole && isQueued(file)))
  return new Map(candidates.map((file) => [file.entryId, file]))
}
