/** ph convert, and ph inspect --source: what packages and source files were made of, without a server. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { runSourceOrders } from '../../../previews/threads/source-threads.ts'
import type { SourceAnswer } from '../../../previews/threads/source-worker.ts'
import { glbIssues } from '../../support/glb-issues.ts'
import { ph } from '../../support/ph.ts'
import { fixtureFolder } from '../../support/real-packages.ts'
import { sourcePackage } from '../../support/source-package.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const triangle = 'v 0 0 0\nv 10 0 0\nv 0 10 0\nf 1 2 3\n'
const dot = await sharp({ create: { width: 3, height: 2, channels: 4, background: '#ff8000' } })
  .png()
  .toBuffer()

interface Outcome {
  code: number
  without_source: number
  files: { file: string; path: string | null; kind: string | null; reason?: string; present?: boolean; measures?: unknown }[]
}

async function convert(cwd: string, ...args: string[]): Promise<Outcome> {
  const outcome = await ph(['convert', '--json', ...args], { cwd })
  return { code: outcome.code, ...(outcome.json() as Omit<Outcome, 'code'>) }
}

test('a mesh becomes a GLB that viewers open, and a picture a PNG, in this folder', async () => {
  const cwd = temporaryFolder({ 'art/Flag.obj': triangle, 'art/Dot.png': dot })
  const { code, files } = await convert(cwd, 'art/Flag.obj', 'art/Dot.png')
  expect(code).toBe(0)
  expect(files).toMatchObject([
    { file: 'art/Flag.obj', path: join(cwd, 'Flag.glb'), kind: 'mesh', measures: { triangles: 1, vertices: 3 } },
    { file: 'art/Dot.png', path: join(cwd, 'Dot.png'), kind: 'picture', measures: { width: 3, height: 2 } },
  ])
  expect(await glbIssues(readFileSync(join(cwd, 'Flag.glb')))).toEqual([])
  const { data } = await sharp(join(cwd, 'Dot.png')).raw().toBuffer({ resolveWithObject: true })
  expect([...data.subarray(0, 4)]).toEqual([255, 128, 0, 255])
})

test('a folder is converted as it lies there, without what has no source and what programs made for themselves', async () => {
  const cwd = temporaryFolder({
    'Art/Props/Flag.obj': triangle,
    'Art/Flags/Flag.obj': `${triangle}f 1 3 2\n`,
    'Art/Dot.PNG': dot,
    'Art/notes.txt': 'hello',
    'Art/M_Oak.uasset': await sourcePackage({ assetClass: 'Material', engine: '5.5.4' }),
    'Art/Saved/Dot.png': dot,
    'Art/.cache/Dot.png': dot,
  })
  const { code, files, without_source } = await convert(cwd, 'Art', '-o', 'out')
  expect(code).toBe(0)
  expect(files.map(({ file, path }) => [file, path])).toEqual([
    ['Art/Dot.PNG', join(cwd, 'out/Dot.png')],
    ['Art/Flags/Flag.obj', join(cwd, 'out/Flags/Flag.glb')],
    ['Art/Props/Flag.obj', join(cwd, 'out/Props/Flag.glb')],
  ])
  expect(without_source).toBe(1)
  const { stdout } = await ph(['convert', 'Art', '-o', 'out'], { cwd, env: { NO_COLOR: '1' } })
  expect(stdout).toContain('1 package holds neither a mesh nor a picture nor a sound.')
})

test('people read what was made, and what was not and why', async () => {
  const cwd = temporaryFolder({ 'Flag.obj': triangle, 'notes.txt': 'hello', 'cut.png': dot.subarray(0, 40) })
  const { code, stdout } = await ph(['convert', 'Flag.obj', 'notes.txt', 'cut.png'], { cwd, env: { NO_COLOR: '1' } })
  expect(code).toBe(6)
  expect(stdout).toMatch(/^Flag\.glb {2}1 triangle, 3 vertices, .*B$/m)
  expect(stdout).toContain('! notes.txt: A .txt file is not read for what it shows or plays.')
  expect(stdout).toContain('! cut.png: ')
})

test('a file that holds something else is replaced with --force only, and one that holds the same is left', async () => {
  const cwd = temporaryFolder({ 'Flag.obj': triangle, 'out/Flag.glb': 'mine' })
  expect(await convert(cwd, 'Flag.obj', '-o', 'out')).toMatchObject({ code: 1, files: [{ path: null, reason: 'present' }] })
  expect(readFileSync(join(cwd, 'out/Flag.glb'), 'utf8')).toBe('mine')
  expect(await convert(cwd, 'Flag.obj', '-o', 'out', '--force')).toMatchObject({ code: 0, files: [{ present: false }] })
  expect(await convert(cwd, 'Flag.obj', '-o', 'out')).toMatchObject({ code: 0, files: [{ present: true }] })
})

test('-o names the file of one, whose end has to fit; files of one name do not replace each other', async () => {
  const cwd = temporaryFolder({ 'a/Flag.obj': triangle, 'b/Flag.obj': `${triangle}f 1 3 2\n` })
  expect(await convert(cwd, 'a/Flag.obj', '-o', 'x/Banner.glb')).toMatchObject({ files: [{ path: join(cwd, 'x/Banner.glb') }] })
  expect(await convert(cwd, 'a/Flag.obj', '-o', 'Banner.png')).toMatchObject({ code: 1, files: [{ reason: 'wrong-end' }] })
  const both = await convert(cwd, 'a/Flag.obj', 'b/Flag.obj')
  expect(both.code).toBe(6)
  expect(both.files.map(({ reason }) => reason).sort()).toEqual(['same-name', undefined])
  expect((await ph(['convert', 'a/Flag.obj', 'b/Flag.obj', '-o', 'x/One.glb'], { cwd })).code).toBe(2)
})

test('a file that takes too long is named, and the next one is read', async () => {
  const cwd = temporaryFolder({ 'Flag.obj': triangle })
  const large = `${triangle}${'v 1 2 3\n'.repeat(3_000_000)}`
  writeFileSync(join(cwd, 'Large.obj'), large)
  const answers: SourceAnswer[] = []
  const orders = ['Large.obj', 'Flag.obj'].map((name) => ({ path: join(cwd, name), want: 'facts' as const }))
  const onAnswer = (at: number, answer: SourceAnswer) => {
    answers[at] = answer
  }
  await runSourceOrders(orders.slice(0, 1), { onAnswer }, { threads: 1, limitMs: 1 })
  expect(answers[0]).toMatchObject({ kind: 'failed', reason: 'timeout' })
  await runSourceOrders(orders, { onAnswer }, { threads: 1 })
  expect(answers[1]).toMatchObject({ kind: 'facts', facts: { triangles: 1, bounds_max_cm: [10, 0, 10] } })
})

const kinds: Record<string, string> = { Texture2D: 'picture', SoundWave: 'sound' }

test.skipIf(!fixtureFolder)('of every real package with a source, its measures agree, and it becomes a file', async () => {
  const root = fixtureFolder ?? ''
  // Written again: a minus zero is none.
  const written = JSON.stringify(JSON.parse(readFileSync(join(root, 'payloads-expected.json'), 'utf8')))
  const expected = JSON.parse(written) as Record<string, { class: string }>
  const names = Object.keys(expected)
  const described = await ph(['inspect', '--source', '--json', ...names], { cwd: root })
  expect(described.code).toBe(0)
  const { files } = described.json() as { files: { source: object }[] }
  for (const [at, name] of names.entries()) expect({ name, ...files[at]?.source }).toMatchObject({ name, ...expected[name] })
  const cwd = temporaryFolder({})
  // Some have one name: the second of them is not written.
  const stems = Map.groupBy(names, (name) => basename(name).toLowerCase())
  const alone = [...stems.values()].flatMap(([name = '']) => name)
  const converted = await convert(cwd, ...alone.map((name) => join(root, name)))
  expect(converted.code).toBe(0)
  expect(converted.files.map(({ kind }) => kind)).toEqual(alone.map((name) => kinds[expected[name]?.class ?? ''] ?? 'mesh'))
  for (const { path, kind } of converted.files) if (kind === 'mesh') expect(await glbIssues(readFileSync(path ?? ''))).toEqual([])
})
