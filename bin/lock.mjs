// Puts package-lock.json in order after `npm i`: no registry addresses, no compiling of what comes compiled, and no word
// on the Node that packages want: npm would warn of each, though programs here run by the Node that comes along.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const [place, entry] of Object.entries(lock.packages)) {
  if (/^https?:/.test(entry.resolved ?? '')) delete entry.resolved
  if (place !== '') delete entry.engines
}
// better-sqlite3 brings its binaries and says so with this key in its package.json; npm forgets it in the lock, then
// runs node-gyp, which does nothing but fails where Python is missing.
lock.packages['node_modules/better-sqlite3'].gypfile = false
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
