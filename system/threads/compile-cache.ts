/** The compile cache of Node, which makes the next start of a program quicker. `bin/ph.mjs` turns it on. */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Options for threads and processes that this one starts: they use its cache only when their environment names it. */
export function compileCacheEnv(): { env?: NodeJS.ProcessEnv } {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { env: { ...process.env, NODE_COMPILE_CACHE: dirname(folder) } }
}
