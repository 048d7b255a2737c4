/** Reading files once: their hashes, what they are, and what happens when they do not keep still. */
import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FileReader, type ReadFile, type UnreadFile } from '../../../client/project/file-reader.ts'
import { isRacy, neverTrusted } from '../../../client/project/fingerprint.ts'
import { readFiles } from '../../../client/project/read-files.ts'
import { toBinaryFbx } from '../../../sample/fbx.ts'
import { writePackage } from '../../../sample/package.ts'
import { scene } from '../../support/fbx.ts'
import { oggPage, vorbisHeader } from '../../support/ogg.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const MiB = 1024 * 1024
const soundPage = (granule: bigint) => oggPage({ granule, body: Buffer.alloc(50_000) })
const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'

async function readAll(folder: string, files: string[], workers?: number) {
  const results: (ReadFile | UnreadFile)[] = []
  let bytes = 0
  const jobs = files.map((file) => ({ path: join(folder, file), size: statSync(join(folder, file)).size }))
  await readFiles(jobs, {
    workers,
    onFile: (index, result) => {
      results[index] = result
    },
    onBytes: (more) => {
      bytes += more
    },
  })
  return { results, bytes }
}

test('threads give every file its hash, however large, and count its bytes once', async () => {
  const sizes = [1, 5000, MiB - 1, MiB, MiB + 1, 40 * MiB + 7, ...Array.from({ length: 300 }, (_, i) => 100 + i)]
  const contents = Object.fromEntries(sizes.map((size, i) => [`f${i}.png`, randomBytes(size)]))
  const folder = temporaryFolder(contents)
  const { results, bytes } = await readAll(folder, Object.keys(contents), 2)
  expect(results.map((result) => 'hash' in result && result.hash)).toEqual(Object.values(contents).map(sha256))
  expect(bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
})

test('a package is described while it is hashed', async () => {
  const bytes = await writePackage({
    packageName: '/Game/Props/SM_Barrel',
    assetClass: 'StaticMesh',
    imports: ['/Game/Materials/M_Wood', '/Engine/EngineMaterials/WorldGrid'],
    softReferences: ['/Game/Maps/L_Town'],
    tags: { Triangles: '120', ApproxSize: '10x20x30' },
    payload: randomBytes(3 * MiB),
  })
  const folder = temporaryFolder({ 'SM_Barrel.uasset': bytes })
  const { results } = await readAll(folder, ['SM_Barrel.uasset'])
  expect(results[0]).toMatchObject({
    hash: sha256(bytes),
    facts: {
      kind: 'package',
      packageName: '/Game/Props/SM_Barrel',
      assetClass: 'StaticMesh',
      entryType: 'mesh',
      guidLasts: true,
      imports: ['/Engine/EngineMaterials/WorldGrid', '/Game/Materials/M_Wood'],
      softReferences: ['/Game/Maps/L_Town'],
      metadata: { tri_count: 120, bounds_x: 10, bounds_y: 20, bounds_z: 30 },
    },
  })
})

test('a header longer than the read buffer is read to its end', async () => {
  const imports = Array.from({ length: 9000 }, (_, i) => `/Game/${'LongFolderName'.repeat(8)}/M${i}x`)
  const bytes = await writePackage({ packageName: '/Game/BP_Big', assetClass: 'Blueprint', imports })
  expect(bytes.length).toBeGreaterThan(MiB)
  const folder = temporaryFolder({ 'BP_Big.uasset': bytes })
  const { results } = await readAll(folder, ['BP_Big.uasset'])
  expect(results[0]).toMatchObject({ hash: sha256(bytes), facts: { assetName: 'BP_Big', imports: { length: 9000 } } })
})

test('threads read a model or a sound as far as its facts lie, beyond the first MiB', async () => {
  const contents = {
    'A.obj': Buffer.from(`v 0 0 0\n${'f 1 1 1\n'.repeat(300_000)}`),
    'B.ogg': Buffer.concat([vorbisHeader(), ...Array.from({ length: 60 }, (_, at) => soundPage(BigInt(at + 1) * 48_000n))]),
    'C.fbx': toBinaryFbx([['Unknown', [randomBytes(2 * MiB).toString('hex')]], ...scene()]),
  }
  const folder = temporaryFolder(contents)
  const metadata: unknown[] = []
  const onFile = (index: number, result: ReadFile | UnreadFile) => {
    metadata[index] = 'facts' in result && result.facts.kind === 'source' && result.facts.metadata
  }
  const jobs = Object.keys(contents).map((file) => ({ path: join(folder, file), size: 20 * MiB }))
  await readFiles(jobs, { workers: 2, onFile })
  expect(metadata).toMatchObject([
    { tri_count: 300_000, vert_count: 1 },
    { audio_duration: 60, sample_rate: 48_000 },
    { tri_count: 2, bounds_x: 2 },
  ])
})

test.each([
  ['a Git LFS pointer', { 'A.uasset': pointer }, 'git-lfs-pointer'],
  ['a pointer in place of a picture', { 'A.png': pointer }, 'git-lfs-pointer'],
  ['text in place of a package', { 'A.umap': 'hello' }, 'not-this-format'],
  ['an empty file', { 'A.fbx': '' }, 'truncated'],
])('%s is refused', async (_, files, reason) => {
  const { results } = await readAll(temporaryFolder(files), Object.keys(files))
  expect(results[0]).toMatchObject({ facts: { kind: 'refused', reason } })
})

test('a source file that is not what its name says is kept, with the reason', async () => {
  const { results } = await readAll(temporaryFolder({ 'A.png': 'no picture' }), ['A.png'])
  expect(results[0]).toMatchObject({ facts: { kind: 'source', entryType: 'source_texture', undescribed: /PNG/ } })
})

test('a file that grows while it is read counts as changed', async () => {
  const folder = temporaryFolder({ 'A.bin': randomBytes(3 * MiB) })
  const path = join(folder, 'A.bin')
  let chunks = 0
  const result = await new FileReader().read(path, () => {
    if (++chunks === 2) appendFileSync(path, 'more')
  })
  expect(result).toEqual({ unread: 'changed', code: 'CHANGED' })
})

test('a file that is gone or cannot be read is a result of its own, and the others are read', async () => {
  const folder = temporaryFolder({ 'A.png': 'a', 'dir.png/x': 'x' })
  const jobs = ['gone.png', 'A.png', 'dir.png'].map((file) => ({ path: join(folder, file), size: 1 }))
  const results: (ReadFile | UnreadFile)[] = []
  await readFiles(jobs, { onFile: (index, result) => (results[index] = result) })
  expect(results).toMatchObject([
    { unread: 'vanished', code: 'ENOENT' },
    { hash: sha256(Buffer.from('a')) },
    { unread: 'unreadable', code: 'EISDIR' },
  ])
})

test('a file touched just before is not trusted to be unchanged next time, an older one is', async () => {
  const folder = temporaryFolder({ 'A.png': 'a' })
  const path = join(folder, 'A.png')
  const { ctimeNs, mtimeNs } = statSync(path, { bigint: true })
  const touchedMs = Number(ctimeNs / 1_000_000n)
  expect(isRacy({ ctimeNs, mtimeNs }, touchedMs + 5)).toBe(true)
  expect(isRacy({ ctimeNs, mtimeNs }, touchedMs + 500)).toBe(false)
  // Where the file system keeps whole seconds, a second is no time at all.
  const whole = 1_700_000_000_000_000_000n
  expect(isRacy({ ctimeNs: whole, mtimeNs: whole }, 1_700_000_001_500)).toBe(true)
  // A time set by hand says nothing; the time of the last change does.
  utimesSync(path, new Date('2099-01-01'), new Date('2099-01-01'))
  const changed = statSync(path, { bigint: true })
  expect(isRacy(changed, Number(changed.ctimeNs / 1_000_000n) + 500)).toBe(false)
  while (Date.now() < Number(changed.ctimeNs / 1_000_000n) + 60) await new Promise(setImmediate)
  expect(await new FileReader().read(path)).not.toMatchObject({ stat: neverTrusted })
})

test('reading stops at once when it is told to', async () => {
  const folder = temporaryFolder({ 'A.png': randomBytes(64 * MiB) })
  const stop = new AbortController()
  const jobs = [{ path: join(folder, 'A.png'), size: 64 * MiB }]
  const reading = readFiles(jobs, { signal: stop.signal, onFile: () => {}, onBytes: () => stop.abort(new Error('Ctrl-C')) })
  await expect(reading).rejects.toThrow('Ctrl-C')
})
