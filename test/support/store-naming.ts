/**
 * A store that receives one file and stands still when it is about to give it its name: says `held`, and goes on when there is a
 * file `go`, or the other store does not come to its end because it has to wait for this one. Prints what became of the upload.
 * Without links, the disk refuses them as exFAT does.
 */
import { createSecretKey } from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'

const [root = '', key = '', text = '', disk, hold] = process.argv.slice(2)
const pauseMs = 5
const mostPauses = 200

type Naming = (from: fs.PathLike, to: fs.PathLike) => void
const original: Record<'linkSync' | 'renameSync', Naming> = { linkSync: fs.linkSync, renameSync: fs.renameSync }
let isHeld = hold === 'never'

function standStill(): void {
  if (isHeld) return
  isHeld = true
  fs.writeSync(1, 'held\n')
  const cell = new Int32Array(new SharedArrayBuffer(4))
  for (let pauses = 0; pauses < mostPauses && !fs.existsSync(join(root, 'go')); pauses++) Atomics.wait(cell, 0, 0, pauseMs)
}

fs.linkSync = (from, to) => {
  if (hold !== 'at the rename') standStill()
  if (disk === 'without links') throw Object.assign(new Error(`EPERM: operation not permitted, link`), { code: 'EPERM' })
  original.linkSync(from, to)
}
fs.renameSync = (from, to) => {
  standStill()
  original.renameSync(from, to)
}
syncBuiltinESMExports()

const { FileStorage } = await import('../../server/storage/fs.ts')
const storage = new FileStorage(root, createSecretKey(Buffer.alloc(32)))
const received = await storage.receive(key, Readable.from([Buffer.from(text)]), { maxBytes: 100 })
storage.close()
process.stdout.write(JSON.stringify(received))
