/** A process that loads a mirror or follows the feed, and can be killed in the middle: `node mirror-process.ts '{"state", "url", "key"}'`. */
import { findFolders } from '../../client/folders.ts'
import { createApi } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { followOnce } from '../../client/mirror/follow.ts'
import { loadMirror } from '../../client/mirror/load/load.ts'
import { openMirror } from '../../client/mirror/mirror.ts'
import { takeToWrite } from '../../client/mirror/writing.ts'

const [, , text = '{}'] = process.argv
const { state, url, key } = JSON.parse(text) as { state: string; url: string; key: string }
const http = new Http({ url, key })
const api = createApi(http)
const mirror = openMirror(findFolders({ PH_STATE_DIR: state }), url)
const lock = takeToWrite(mirror)
if (!mirror.db) await loadMirror(mirror, api)
const followed = await followOnce(mirror, api)
mirror.close()
lock.release()
await http.close()
process.stdout.write(JSON.stringify(followed))
