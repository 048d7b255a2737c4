/** A process that pushes one folder and can be killed in the middle: `node push-process.ts '{"paths": …}'`, options as JSON. */
import { findFolders } from '../../client/folders.ts'
import { push } from '../../client/push/push.ts'

const [, , text = '{}'] = process.argv
const { state, ...options } = JSON.parse(text)
const report = await push({ ...options, folders: findFolders({ PH_STATE_DIR: state }) })
process.stdout.write(JSON.stringify(report))
