/** Pulls into projects on disk for a test. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFolders } from '../../client/folders.ts'
import { type PullOptions, pull } from '../../client/pull/pull.ts'
import type { JobReport, PullReport } from '../../client/pull/report.ts'
import { findTarget } from '../../client/pull/target-project.ts'
import { callAs } from './api.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { Target } from './unreal-project.ts'

export interface PullProject {
  root: string
  state: string
  cache: string
  /** Pulls entries by name, or without any what is queued for the project. */
  pull(from: Target, names?: readonly string[], options?: Partial<PullOptions>): Promise<PullReport>
  /** Every file of the Content folder, by path below it. */
  files(): Record<string, Buffer>
}

/** An Unreal project without content, with memory and cache of its own unless they are given. */
export function emptyProject(
  name = 'Target',
  { engine = '5.4', folder = temporaryFolder(), ...own }: EmptyProjectOptions = {},
): PullProject {
  const root = join(folder, name)
  const [state, cache] = [own.state ?? join(folder, 'state'), own.cache ?? join(folder, 'cache')]
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, `${name}.uproject`), JSON.stringify({ EngineAssociation: engine }))
  return {
    root,
    state,
    cache,
    pull: async ({ url, key }, names, options = {}) => {
      const order = names && { order: async () => entriesNamed({ url, key }, names) }
      const folders = findFolders({ PH_STATE_DIR: state, PH_CACHE_DIR: cache })
      return pull({ target: findTarget({ cwd: root }), url, key, folders, ...order, ...options })
    },
    files: () => filesBelow(join(root, 'Content')),
  }
}

interface EmptyProjectOptions {
  engine?: string
  folder?: string
  state?: string
  cache?: string
}

/** The ids of entries, in the order of their names. */
export async function entriesNamed({ url, key }: Target, names: readonly string[]): Promise<{ entry_id: number }[]> {
  const api = callAs(url, key)
  return Promise.all(
    names.map(async (name) => {
      const { body } = await api.get(`/entries?name=${encodeURIComponent(name)}`)
      return { entry_id: Number(body.entries[0].id) }
    }),
  )
}

/** Every file below a folder, with `/`; nothing when it is not there. */
export function filesBelow(folder: string): Record<string, Buffer> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort()
    return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)]))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** The one job of a report. */
export function onlyJob({ jobs }: PullReport): JobReport {
  const [job, ...others] = jobs
  if (!job || others.length > 0) throw new Error(`the pull did ${jobs.length} jobs`)
  return job
}

/** What became of each file, by its path. */
export const outcomesOf = (job: JobReport): Record<string, string> =>
  Object.fromEntries(job.files.map(({ file, outcome }) => [file, outcome]))
