// Puts package-lock.json in order after `npm i`: no registry addresses, and no compiling of what comes compiled.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const entry of Object.values(lock.packages)) if (/^https?:/.test(entry.resolved ?? '')) delete entry.resolved
// better-sqlite3 brings its binaries and says so with this key in its package.json; npm forgets it in the lock, then
// runs node-gyp, which does nothing but fails where Python is missing.
lock.packages['node_modules/better-sqlite3'].gypfile = false
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
