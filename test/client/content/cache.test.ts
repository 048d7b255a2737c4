/** The content cache: what is believed, what is read again, what goes when there is too much. */
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { type CacheOptions, type Content, ContentCache } from '../../../client/content/cache.ts'
import { readCacheSize } from '../../../client/content/cache-size.ts'
import { statKey } from '../../../client/project/fingerprint.ts'
import { sha256 } from '../../support/push.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const contentOf = (text: string): Content => ({ hash: sha256(Buffer.from(text)), size: Buffer.byteLength(text) })

async function put(cache: ContentCache, ...texts: string[]): Promise<Content[]> {
  const contents = texts.map(contentOf)
  for (const [index, content] of contents.entries()) {
    const received = join(cache.incoming, `${content.hash}.part`)
    writeFileSync(received, texts[index] ?? '')
    cache.put(content, received)
  }
  return contents
}

/** Works with the cache of a folder as one process would, and closes it. */
async function within<T>(folder: string, work: (cache: ContentCache) => T | Promise<T>, options?: CacheOptions): Promise<T> {
  const cache = new ContentCache(folder, options)
  try {
    return await work(cache)
  } finally {
    cache.close()
  }
}

const found = (folder: string, texts: string[], options?: CacheOptions) =>
  within(
    folder,
    async (cache) => {
      const { present, damaged } = await cache.find(texts.map(contentOf))
      return { present: texts.filter((text) => present.has(contentOf(text).hash)), damaged: damaged.length }
    },
    options,
  )

test('what was put in is found by another process, whole', async () => {
  const folder = temporaryFolder()
  const [one] = await within(folder, (cache) => put(cache, 'wall', 'brick'))
  expect(await found(folder, ['wall', 'brick', 'other'])).toEqual({ present: ['wall', 'brick'], damaged: 0 })
  await within(folder, (cache) => expect(readFileSync(cache.pathOf(one?.hash ?? ''), 'utf8')).toBe('wall'))
})

test('a file that was touched is read again: changed bytes are thrown away, the same bytes stay', async () => {
  const folder = temporaryFolder()
  const [wall, brick] = await within(folder, (cache) => put(cache, 'wall', 'brick'))
  const pathOf = (content: Content | undefined) =>
    join(folder, 'content/objects', content?.hash.slice(0, 2) ?? '', content?.hash ?? '')
  writeFileSync(pathOf(wall), 'WALL')
  utimesSync(pathOf(brick), 1, 1)
  expect(await found(folder, ['wall', 'brick'])).toEqual({ present: ['brick'], damaged: 1 })
  expect(await found(folder, ['wall', 'brick'])).toEqual({ present: ['brick'], damaged: 0 })
  expect(statSync(pathOf(wall), { throwIfNoEntry: false })).toBeUndefined()
})

test('bytes are believed from one start of the system to the next, then read once', async () => {
  const folder = temporaryFolder()
  const [wall] = await within(folder, (cache) => put(cache, 'wall', 'brick'))
  const index = new Database(join(folder, 'content/index.sqlite'))
  const path = join(folder, 'content/objects', wall?.hash.slice(0, 2) ?? '', wall?.hash ?? '')
  writeFileSync(path, '\0\0\0\0')
  // As a power cut leaves it: size and times reached the disk, the bytes did not.
  index.prepare('update object set stat = ?').run(statKey(statSync(path, { bigint: true })))
  expect(await found(folder, ['wall'])).toEqual({ present: ['wall'], damaged: 0 })
  index.prepare("update object set boot = 'an earlier one'").run()
  index.close()
  expect(await found(folder, ['wall', 'brick'])).toEqual({ present: ['brick'], damaged: 1 })
})

test('without its index, and with a damaged one, files are found again by reading them', async () => {
  const folder = temporaryFolder()
  await within(folder, (cache) => put(cache, 'wall'))
  const index = readdirSync(join(folder, 'content')).filter((name) => name.startsWith('index'))
  for (const name of index) rmSync(join(folder, 'content', name))
  expect(await found(folder, ['wall'])).toEqual({ present: ['wall'], damaged: 0 })
  writeFileSync(join(folder, 'content/index.sqlite'), 'no database at all, but long enough to look at'.repeat(100))
  expect(await found(folder, ['wall'])).toEqual({ present: ['wall'], damaged: 0 })
})

test('beyond its size the least recently used go, and what a running pull holds stays', async () => {
  const folder = temporaryFolder()
  let now = 1000
  const options = { limitBytes: 10, now: () => now++ }
  const texts = ['aaaa', 'bbbb', 'cccc']
  const holding = new ContentCache(folder, options)
  await within(folder, (cache) => put(cache, 'aaaa', 'bbbb'), options)
  holding.hold([contentOf('aaaa')])
  await within(folder, (cache) => put(cache, 'cccc'), options)
  expect(await found(folder, texts, options)).toEqual({ present: ['aaaa', 'cccc'], damaged: 0 })
  holding.close()
  await within(folder, (cache) => cache.find([contentOf('aaaa')]), options)
  await within(folder, (cache) => put(cache, 'dddd'), options)
  expect(await found(folder, [...texts, 'dddd'], options)).toEqual({ present: ['aaaa', 'dddd'], damaged: 0 })
})

test('the hold of a process that died is over after an hour', async () => {
  const folder = temporaryFolder()
  let now = 0
  const options = { limitBytes: 5, now: () => now }
  const died = new ContentCache(folder, options)
  died.hold([contentOf('aaaa')])
  await within(folder, (cache) => put(cache, 'aaaa', 'bbbb'), options)
  expect(await found(folder, ['aaaa', 'bbbb'], options)).toMatchObject({ present: ['aaaa'] })
  now = 3_600_001
  await within(folder, (cache) => put(cache, 'cccc'), options)
  expect((await found(folder, ['aaaa', 'cccc'], options)).present).toEqual(['cccc'])
  died.close()
})

test('a folder that cannot be used is named', () => {
  const folder = temporaryFolder({ content: 'a file in the way' })
  expect(() => new ContentCache(folder)).toThrow(expect.objectContaining({ code: 'CACHE_UNUSABLE' }))
})

test('sizes are read as people write them', () => {
  const sizes = [undefined, '', '1000', '20G', '1.5 MiB', '500m', '2tb', 'plenty', '-1', '5 X']
  expect(sizes.map(readCacheSize)).toEqual([
    20 * 1024 ** 3,
    20 * 1024 ** 3,
    1000,
    20 * 1024 ** 3,
    1.5 * 1024 ** 2,
    500 * 1024 ** 2,
    2 * 1024 ** 4,
    undefined,
    undefined,
    undefined,
  ])
})
