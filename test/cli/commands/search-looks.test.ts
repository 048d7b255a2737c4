/** ph search by looks: by a picture of this disk, by a prop; what is shown of how alike they are, and what cannot be, in words. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { searchPicture } from '../../../client/looks/search-picture.ts'
import { afterFile } from '../../support/after-file.ts'
import { lookedAt, lookingServer, pictureOf, putThumbnail } from '../../support/looking-server.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { item, pushed } from '../../support/push.ts'
import { fixtureFolder } from '../../support/real-packages.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'

/** Of so many entries, the one further on looks less like the first. */
const numbers = [0, 1, 2, 4, 8, 16]
const nameOf = (number: number) => `SM_Crate_${number}`
const server = await lookingServer()
const library = await lookedAt(server, numbers, (number) => ({
  asset_name: nameOf(number),
  entry: { entry_type: number < 4 ? 'mesh' : 'texture', name: nameOf(number) },
}))
const env: Record<string, string> = { ...signedIn(library.url, library.keys.mia), NO_COLOR: '1', PH_PICTURES: 'off' }
const png = await pictureOf(0, 200)
const cwd = mkdtempSync(join(tmpdir(), 'ph-test-'))
afterFile(() => rmSync(cwd, { recursive: true, force: true }))
writeFiles(cwd, {
  'crate.png': png,
  'crate.jpg': await sharp(png).jpeg().toBuffer(),
  'crate.webp': await sharp(png).webp({ lossless: true }).toBuffer(),
  'crate.gif': await sharp(png).gif().toBuffer(),
  'misnamed.txt': png,
  'cut.png': png.subarray(0, 40),
  'words.png': 'no picture at all',
  'sound.wav': 'RIFF0000WAVE',
  'crate.uasset': 'no package',
  'empty.png': '',
  'folder.png/inside.txt': '',
  'plain.txt': 'words',
})

const run = (line: string, more: Setting = {}) => ph(`search ${line}`, { env, cwd, ...more })
const found = async (line: string) => {
  const { code, stdout, stderr } = await run(`${line} --json`)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout).entries.map(({ name }: { name: string }) => name)
}

test.each(['crate.png', 'crate.jpg', 'crate.webp', 'crate.gif', 'misnamed.txt'])(
  '%s finds what looks like it, the most similar first',
  async (file) => {
    expect(await found(`--like ${file}`)).toEqual(numbers.map(nameOf))
  },
)

test('programs get score and reason as the route answers them', async () => {
  const answer = (await run('--like crate.png --limit 2 --json')).json() as { entries: object[]; total_ranked: number }
  expect(answer.total_ranked).toBe(6)
  expect(answer.entries).toMatchObject([{ score: expect.any(Number), reason: { words: [], looks: expect.any(Number) } }, {}])
  const similar = (await run(`--similar-to ${nameOf(0)} --json`)).json() as { entries: object[]; total: number }
  expect(similar).toMatchObject({ total: 5, next_cursor: null })
  expect(similar.entries[0]).toMatchObject({ name: nameOf(1), reason: { looks: expect.any(Number) } })
})

test('a prop finds what looks like it, without itself; words and filters leave out others', async () => {
  const [, ...others] = numbers.map(nameOf)
  expect(await found(`--similar-to ${nameOf(0)}`)).toEqual(others)
  expect(await found(`--similar-to ${library.ids[0]} --type texture`)).toEqual(others.slice(2))
  expect(await found(`crate_16 --similar-to ${nameOf(0)}`)).toEqual([nameOf(16)])
  expect(await found('--like crate.png --type mesh --limit 2')).toEqual([nameOf(0), nameOf(1)])
})

test('people see how alike each is, in words and as a number, the surest words for what is the same', async () => {
  const { stdout, stderr } = await run('--like crate.png', { columns: 120 })
  expect(stdout).toMatch(/LOOKS/)
  expect(stdout).toMatch(/SM_Crate_0 .*looks the same \((0\.9[789]|1\.00)\)/)
  expect(stderr).toContain('6 entries, the most similar first.')
  expect((await run(`--similar-to ${nameOf(0)} --ids`)).stdout).toBe(`${library.ids.slice(1).join('\n')}\n`)
  expect((await run('--like crate.png --ids --limit 1')).stdout).toBe(`${library.ids[0]}\n`)
})

test('a least score leaves out what is less similar, and says so where nothing is left', async () => {
  const all = (await run(`--similar-to ${nameOf(0)} --json`)).json() as { entries: { score: number }[] }
  const second = all.entries[1]?.score ?? 0
  expect(await found(`--similar-to ${nameOf(0)} --min-score ${(second - 0.0001).toFixed(6)}`)).toEqual([nameOf(1), nameOf(2)])
  const nothing = await run(`--similar-to ${nameOf(16)} --min-score 1`)
  expect([nothing.code, nothing.stdout]).toEqual([0, ''])
  expect(nothing.stderr).toContain('Nothing is at least 1 similar. Try a lower --min-score.')
})

test.each([
  ['--like crate.png --similar-to 1', 'exclude each other'],
  ['--like crate.png --facets', '--facets counts by filters'],
  ['--similar-to 1 --sort name', 'most similar first'],
  ['--similar-to 1 --reverse', 'most similar first'],
  ['--like crate.png --cursor abc', 'one page'],
  ['--like crate.png --limit 201', 'at most 200'],
  ['--like crate.png --offline', 'Looks are not known on this machine'],
  ['crate --min-score 0.9', 'needs something to look like'],
  ['--like crate.png --min-score 1.1', 'above 0 and up to 1'],
  ['--like crate.png --min-score 0', 'above 0 and up to 1'],
])('%s is refused before anything is asked', async (line, words) => {
  const { code, stdout, stderr } = await run(line, { env: { ...env, PH_URL: 'http://127.0.0.1:9' } })
  expect(code).toBe(line.includes('offline') ? 3 : 2)
  expect(stdout).toBe('')
  expect(stderr).toContain(words)
})

test.each([
  ['cut.png', 'cut.png'],
  ['words.png', 'words.png'],
  ['sound.wav', 'sound.wav'],
  ['crate.uasset', 'crate.uasset'],
  ['gone.png', 'There is no'],
  ['empty.png', 'empty.png: The file is empty.'],
  ['folder.png', 'is a folder'],
  ['plain.txt', 'plain.txt: '],
])('%s is refused with the file named, and is not sent', async (file, words) => {
  const { code, stderr } = await run(`--like ${file}`)
  expect(code).not.toBe(0)
  expect(stderr).toContain(words)
  expect(stderr).toMatch(/ next: \S/)
})

test('a prop without a picture cannot be compared, and what to do is said', async () => {
  const [bare] = await pushed(library.mia, [item({ asset_name: 'SM_Bare' })])
  const { code, stderr } = await run('--similar-to SM_Bare')
  expect(code).toBe(5)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('SM_Bare cannot be compared by its looks: it has no picture yet')
  expect(stderr).toContain('ph show SM_Bare')
  const failure = JSON.parse((await run('--similar-to SM_Bare --json')).stderr)
  expect(failure.error).toMatchObject({ code: 'EMBEDDINGS_UNAVAILABLE', details: { entry_id: bare?.entry_id } })
})

test('a library that compares no pictures says so, and that words still work', async () => {
  const off = await lookingServer('off')
  const { url, keys } = await off.addWorkspace()
  const { code, stderr } = await run('--like crate.png', { env: { ...env, ...signedIn(url, keys.mia) } })
  expect(code).toBe(3)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('The library cannot compare pictures at the moment.')
  expect(stderr).toContain('Search by words instead')
})

test('without the server there is nothing to compare with, and a mirror does not pretend there is', async () => {
  const { code, stderr } = await run('--similar-to 1', { env: { ...env, PH_URL: 'http://127.0.0.1:9' } })
  expect(code).toBe(3)
  expect(stderr).toContain('127.0.0.1:9')
})

const real = 'content/KawaiiPhysicsSample/Content/KawaiiPhysicsSample/Other/Stage/Mesh/SM_ChamferCube.uasset'

test.runIf(fixtureFolder !== undefined)(
  'a package on this disk is searched by the picture in it, a mesh by how it is drawn',
  async () => {
    const folder = fixtureFolder ?? ''
    copyFileSync(join(folder, real), join(cwd, 'SM_ChamferCube.uasset'))
    const [cube] = await pushed(library.mia, [item({ asset_name: 'SM_Cube_Drawn' })])
    const { bytes } = await searchPicture(join(cwd, 'SM_ChamferCube.uasset'))
    await putThumbnail(library.mia, cube ?? {}, bytes)
    await server.work.look()
    expect((await found('--like SM_ChamferCube.uasset --limit 1'))[0]).toBe('SM_Cube_Drawn')
    expect((await run('--like SM_ChamferCube.uasset')).stderr).toContain('Searching by the picture inside SM_ChamferCube.uasset.')
  },
)

test('a mesh file is searched by how it is drawn, and a texture by its own pixels', async () => {
  const obj = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n'
  const folder = temporaryFolder({ 'SM_Wedge.obj': obj })
  const { bytes, contentType, made } = await searchPicture(join(folder, 'SM_Wedge.obj'))
  expect([contentType, made]).toEqual(['image/png', 'the mesh of SM_Wedge.obj, drawn'])
  const [wedge] = await pushed(library.mia, [item({ asset_name: 'SM_Wedge_Drawn' })])
  await putThumbnail(library.mia, wedge ?? {}, await sharp(bytes).resize(256, 256).png().toBuffer())
  await server.work.look()
  const { code, stdout, stderr } = await ph('search --like SM_Wedge.obj --limit 1 --json', { env, cwd: folder })
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout).entries[0].name).toBe('SM_Wedge_Drawn')
})

test.skipIf(process.platform === 'win32')('a pipe, which may never end, is refused at once', async () => {
  const pipe = join(temporaryFolder(), 'pipe.png')
  execFileSync('mkfifo', [pipe])
  await expect(searchPicture(pipe)).rejects.toMatchObject({ code: 'NOT_A_PICTURE', message: expect.stringContaining('pipe.png') })
})

test.each([
  { name: '65 megapixels', width: 8_200, height: 8_000, format: 'png' },
  { name: '25 megapixels, interlaced', width: 5_000, height: 5_000, format: 'png', progressive: true },
  { name: '25 megapixels, progressive', width: 5_000, height: 5_000, format: 'jpeg', progressive: true },
  { name: '40,000 pixels in a row', width: 40_000, height: 60, format: 'png' },
] as const)('a picture of $name is made smaller first, and the server takes it', async ({ name, format, ...made }) => {
  const { width, height, progressive } = { progressive: false, ...made }
  const picture = sharp({ create: { width, height, channels: 3, background: '#c33' } }).toFormat(format, { progressive })
  const folder = temporaryFolder({ [`${name}.${format}`]: await picture.toBuffer() })
  const { code, stderr } = await ph(['search', '--like', `${name}.${format}`], { env, cwd: folder })
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Searching by ${name}.${format}, as PNG.`)])
})

test('a picture that is larger than a library takes is made smaller first', async () => {
  const large = await sharp({
    create: { width: 3000, height: 2000, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
    .png({ compressionLevel: 0 })
    .toBuffer()
  expect(large.length).toBeGreaterThan(16 * 1024 * 1024)
  const folder = temporaryFolder({ 'large.png': large })
  const { bytes, made } = await searchPicture(join(folder, 'large.png'))
  expect(bytes.length).toBeLessThan(16 * 1024 * 1024)
  expect([made, await sharp(bytes).metadata()]).toMatchObject(['large.png, as PNG', { width: 1024, format: 'png' }])
})
