/**
 * A process that loads a mirror or follows the feed, and can be killed in the middle: `node mirror-process.ts '{"state", "url", "key"}'`.
 * With `filled` a process of its own fills the mirror, as for the agent; that is where the death is then, and its end is said on stderr.
 */
import { FillProcess } from '../../agent/mirror/fill-process.ts'
import { findFolders } from '../../client/folders.ts'
import { createApi } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { followOnce } from '../../client/mirror/follow.ts'
import { loadMirror } from '../../client/mirror/load/load.ts'
import { openMirror } from '../../client/mirror/mirror.ts'
import { takeToWrite } from '../../client/mirror/writing.ts'
import type { ClientDeath } from './client-death.ts'

const [, , text = '{}'] = process.argv
const { state, url, key, filled } = JSON.parse(text) as { state: string; url: string; key: string; filled?: ClientDeath }
const http = new Http({ url, key })
const api = createApi(http)
const folders = findFolders({ PH_STATE_DIR: state })
const mirror = openMirror(folders, url)
const lock = takeToWrite(mirror)
if (filled) {
  process.env.NODE_OPTIONS = `--import ${new URL('./client-death.ts', import.meta.url).href}`
  process.env.PH_TEST_DEATH = JSON.stringify(filled)
}
const apart = filled && new FillProcess({ url, key, folders })
if (!mirror.db) await loadMirror(mirror, api, { fill: apart?.fill })
apart?.close()
const followed = await followOnce(mirror, api)
mirror.close()
lock.release()
await http.close()
process.stdout.write(JSON.stringify(followed))
