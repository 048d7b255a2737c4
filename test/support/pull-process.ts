/**
 * A process that pulls into one folder and can be killed in the middle: `node pull-process.ts '{"root": …}'`, options as JSON. Stops at
 * Ctrl-C as `ph` does, and does not sit out the waits for a server that is away. What ends a pull is said on stderr: `ended by: …`.
 */
import { findFolders } from '../../client/folders.ts'
import { pull } from '../../client/pull/pull.ts'
import { findTarget } from '../../client/pull/target-project.ts'

const [, , text = '{}'] = process.argv
const { root, state, cache, entries, ...options } = JSON.parse(text)
const folders = findFolders({ PH_STATE_DIR: state, PH_CACHE_DIR: cache })
const order = entries && { order: async () => entries }
const stopping = new AbortController()
process.on('SIGINT', () => stopping.abort(new Error('Ctrl-C')))
const { signal } = stopping
const pause = async () => signal.throwIfAborted()
try {
  const report = await pull({ ...options, target: findTarget({ cwd: root }), folders, signal, pause, ...order })
  process.stdout.write(JSON.stringify(report))
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  process.stderr.write(`ended by: ${[code, message].filter(Boolean).join(' ')}\n`)
  process.exitCode = 1
}
