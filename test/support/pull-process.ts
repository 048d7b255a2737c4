/** A process that pulls into one folder and can be killed in the middle: `node pull-process.ts '{"root": …}'`, options as JSON. */
import { findFolders } from '../../client/folders.ts'
import { pull } from '../../client/pull.ts'
import { findTarget } from '../../client/pull-target.ts'

const [, , text = '{}'] = process.argv
const { root, state, cache, entries, ...options } = JSON.parse(text)
const folders = findFolders({ PH_STATE_DIR: state, PH_CACHE_DIR: cache })
const order = entries && { order: async () => entries }
const report = await pull({ ...options, target: findTarget({ cwd: root }), folders, ...order })
process.stdout.write(JSON.stringify(report))
