/** A process that pushes one folder, with its previews where they are asked for, and can be killed in the middle: options as JSON. */
import { findFolders } from '../../client/folders.ts'
import { makeProjectMedia } from '../../client/previews/project-previews.ts'
import { push } from '../../client/push/push.ts'

const [, , text = '{}'] = process.argv
const { state, previews, ...options } = JSON.parse(text)
const folders = findFolders({ PH_STATE_DIR: state })
const report = await push({ ...options, folders })
if (previews) await makeProjectMedia({ ...options, folders, root: report.root })
process.stdout.write(JSON.stringify(report))
