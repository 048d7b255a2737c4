/** The store when something fails: a full disk, a lost folder, clients that go away or dawdle. */

import { execFileSync } from 'node:child_process'
import { createHash, createSecretKey, randomBytes } from 'node:crypto'
import { mkdirSync, openSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { FileStorage } from '../../server/storage/fs.ts'
import { unwritten } from '../../server/storage/incoming-file.ts'
import { sendFile } from '../../server/storage/send-file.ts'
import { blobKey } from '../../server/storage/storage.ts'
import { FolderSync } from '../../system/folder-sync.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MiB = 1024 * 1024
/** A busy machine may take its time. */
const patience = { timeout: 60_000 }
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

function newStore(): FileStorage {
  const storage = new FileStorage(temporaryFolder(), createSecretKey(randomBytes(32)))
  onTestFinished(() => storage.close())
  return storage
}

test.runIf(process.platform !== 'win32')(
  'a disk that takes no more is named, nothing is half there, and smaller files still fit',
  () => {
    const folder = temporaryFolder()
    const script = fileURLToPath(new URL('../support/store-in-limits.ts', import.meta.url))
    const limited = ['-c', 'ulimit -f 3000; exec "$0" "$@"', process.execPath, script, folder]
    const said = JSON.parse(execFileSync('sh', limited, { encoding: 'utf8' }))
    expect(said.large.told).toMatchObject({ code: 'UNAVAILABLE', status: 503, details: { reason: 'disk_full' } })
    expect(said.large.told.message).toContain(folder)
    expect(said.large.sizes).toEqual([null])
    expect(said.left).toEqual([])
    expect(said.small).toEqual({ told: { size: 5, created: true }, sizes: [5] })
  },
)

test('a server whose store is gone is not ready, and says so', async () => {
  const server = await startTestServer()
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  rmSync(join(server.dataDir, 'storage', 'incoming'), { recursive: true })
  const answer = await fetch(`${server.url}/readyz`)
  expect([answer.status, await answer.json()]).toEqual([503, { database: 'ok', storage: 'fails', looks: 'idle' }])
})

test('an upload whose client was gone before it was looked at fails at once', async () => {
  const storage = newStore()
  const gone = await new Promise<IncomingMessage>((resolve) => {
    const http = createServer((request) => request.on('close', () => resolve(request)))
    onTestFinished(() => void http.close())
    http.listen(0, '127.0.0.1', () => {
      const sending = httpRequest({ port: portOf(http), method: 'PUT', headers: { 'content-length': '10' } })
      sending.on('error', () => {})
      sending.write('12345', () => setImmediate(() => sending.destroy()))
    })
  })
  await expect(storage.receive('1/blobs/aa/x', gone, { maxBytes: 10 })).rejects.toMatchObject({ code: 'VALIDATION' })
})

test('bytes that come one by one become the same file, and chunks of other streams are left as they were', async () => {
  const storage = newStore()
  const dribble = Readable.from(Array.from({ length: 3000 }, (_, n) => Buffer.from([n % 251])))
  const whole = Buffer.from(Array.from({ length: 3000 }, (_, n) => n % 251))
  await storage.receive('1/blobs/aa/dribble', dribble, { sha256: sha256(whole), maxBytes: 3000 })
  expect(await storage.read('1/blobs/aa/dribble', 0, 3000)).toEqual(whole)
  const chunk = Buffer.alloc(MiB, 'x')
  await storage.receive('1/blobs/aa/chunk', Readable.from([chunk]), { maxBytes: MiB })
  expect(sha256(chunk)).toBe(sha256(Buffer.alloc(MiB, 'x')))
})

const isLinux = process.platform === 'linux'
test.runIf(isLinux)('a client that leaves in the middle of a download leaves no file open', async () => {
  const server = await startTestServer()
  const bytes = randomBytes(64 * MiB)
  const key = blobKey(1, sha256(bytes))
  await server.storage.receive(key, Readable.from([bytes]), { maxBytes: bytes.length })
  const as = { contentType: 'application/octet-stream', expiresAt: new Date(Date.now() + 60_000), origin: server.url }
  const url = await server.storage.downloadUrl(key, as)
  const open = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith(key)
      } catch {
        return false
      }
    })
  const reading = httpRequest(url, (answer) => answer.once('data', () => answer.pause()))
  reading.on('error', () => {}).end()
  await expect.poll(() => open().length, patience).toBe(1)
  reading.destroy()
  await expect.poll(() => open().length, patience).toBe(0)
  const again = await fetch(url)
  expect(sha256(Buffer.from(await again.arrayBuffer()))).toBe(sha256(bytes))
})

test('a download ends when its connection breaks just before a write, which then never reports', async () => {
  const file = join(temporaryFolder({ file: 'bytes' }), 'file')
  const ended = new Promise((resolve) => {
    const http = createServer((request, response) => {
      response.writeHead(200)
      const write = response.write.bind(response)
      response.write = (bytes: Buffer, told: unknown) => {
        request.socket.destroy()
        return write(bytes, told as () => void)
      }
      resolve(sendFile(openSync(file, 'r'), { start: 0, end: 5 }, response))
    })
    onTestFinished(() => void http.close())
    http.listen(0, '127.0.0.1', () => fetch(`http://127.0.0.1:${portOf(http)}`).catch(() => {}))
  })
  await expect(ended).resolves.toBeUndefined()
})

test('a write that took less than it was given goes on where it ended', () => {
  const chunks = ['abc', 'd', 'efg'].map((text) => Buffer.from(text))
  const after = (written: number) => unwritten(chunks, written).map(String)
  expect([0, 2, 3, 4, 6, 7].map(after)).toEqual([['abc', 'd', 'efg'], ['c', 'd', 'efg'], ['d', 'efg'], ['efg'], ['g'], []])
})

test('a folder that could not be put on the disk is told to all who wait, and tried again for the next', async () => {
  const folder = join(temporaryFolder(), 'later')
  const folders = new FolderSync()
  const both = [folders.settle([folder]), folders.settle([folder])]
  for (const one of both) await expect(one).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(folders.settle([folder])).rejects.toMatchObject({ code: 'ENOENT' })
  mkdirSync(folder)
  await folders.settle([folder])
})
