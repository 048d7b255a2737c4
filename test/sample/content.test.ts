// The sample project on disk, as the readers of formats/ and a push see it.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join, relative } from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeSource, sourceThumbnail } from '../../formats/source-file.ts'
import { type PackageFacts, readPackage } from '../../formats/uasset/uasset.ts'
import { editSampleProp, makeSampleProject, type SampleProject } from '../../sample/content.ts'

const small = { picturePx: 32 }
let folder: string
let project: SampleProject

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sample-'))
  project = await makeSampleProject(folder, small)
  return () => rm(folder, { recursive: true })
})

const filesOf = (root: string): string[] => globSync('**/*.*', { cwd: root }).sort()
const packagesOf = (root: string): string[] => filesOf(root).filter((path) => /\.(uasset|umap)$/.test(path))
const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

function factsOf(path: string): PackageFacts {
  const bytes = readFileSync(path)
  return readPackage(bytes, { stem: basename(path, extname(path)), fileSize: bytes.length })
}

async function pictureOf(path: string) {
  const { thumbnail } = factsOf(path)
  const stored = readFileSync(path).subarray(thumbnail?.offset, (thumbnail?.offset ?? 0) + (thumbnail?.length ?? 0))
  const [blue, green, red] = (await sharp(stored).stats()).channels
  return { red: red?.mean ?? 0, green: green?.mean ?? 0, blue: blue?.mean ?? 0, contrast: red?.stdev ?? 0 }
}

async function anotherProject(options: { seed?: string }): Promise<string> {
  const other = await mkdtemp(join(tmpdir(), 'sample-'))
  onTestFinished(() => rm(other, { recursive: true }))
  await makeSampleProject(other, { ...small, ...options })
  return other
}

test('every package reads without a doubt, and says the name of the place it lies in', () => {
  for (const path of packagesOf(project.contentFolder)) {
    const facts = factsOf(join(project.contentFolder, path))
    expect(facts).toMatchObject({ complete: true, cooked: false, engineVersion: '5.3.2', warnings: [] })
    expect(facts.packageName).toBe(`/Game/${path.slice(0, -extname(path).length).replaceAll('\\', '/')}`)
  }
})

test('every package that is needed is there, and no two have one identity', () => {
  const all = packagesOf(project.contentFolder).map((path) => factsOf(join(project.contentFolder, path)))
  const names = new Set(all.map(({ packageName }) => packageName))
  const needed = all.flatMap(({ imports }) => imports).filter((name) => name.startsWith('/Game/'))
  expect(needed.filter((name) => !names.has(name))).toEqual([])
  expect(new Set(all.map(({ stableGuid }) => stableGuid?.value)).size).toBe(all.length)
})

test('it holds what a project holds: props, their materials and textures, logic, effects, sounds, animation and a level', () => {
  const classes = packagesOf(project.contentFolder).map((path) => factsOf(join(project.contentFolder, path)).assetClass)
  const wanted = ['StaticMesh', 'MaterialInstanceConstant', 'Texture2D', 'Blueprint', 'NiagaraSystem', 'SoundCue', 'SoundWave']
  for (const one of [...wanted, 'AnimSequence', 'SkeletalMesh', 'World', 'StaticMeshActor']) expect(classes).toContain(one)
  expect(packagesOf(project.contentFolder)).toHaveLength(project.packages)
  expect(packagesOf(project.contentFolder).some((path) => path.startsWith('__ExternalActors__'))).toBe(true)
  expect(JSON.parse(readFileSync(project.projectFile, 'utf8'))).toMatchObject({ EngineAssociation: '5.3' })
})

test('every source file is of a known format and holds what its asset says', async () => {
  const sources = filesOf(project.contentFolder).filter((path) => !/\.(uasset|umap)$/.test(path))
  expect(new Set(sources.map(extname))).toEqual(new Set(['.png', '.tga', '.wav', '.glb', '.fbx', '.obj', '.mtl']))
  expect(sources).toHaveLength(project.sources)
  for (const path of sources) {
    const bytes = readFileSync(join(project.contentFolder, path))
    const { tags } = factsOf(join(project.contentFolder, path.replace(/\.\w+$/, '.uasset')))
    const facts = await describeSource(extname(path).slice(1), bytes)
    if (facts?.assetClass === 'SourceMesh') {
      expect(facts.metadata).toMatchObject({
        tri_count: Number(tags.get('Triangles')),
        vert_count: Number(tags.get('Vertices')),
        source_app: expect.stringContaining('Prop House sample'),
      })
      const { bounds_x = 0, bounds_y = 0, bounds_z = 0 } = facts.metadata
      const edges = [bounds_x, bounds_y, bounds_z].map(Math.round).sort()
      expect(edges).toEqual(tags.get('ApproxSize')?.split('x').map(Number).sort())
    }
    expect(facts?.companions ?? []).toEqual(path.endsWith('.obj') ? [basename(path).replace('.obj', '.mtl')] : [])
    if (facts?.assetClass === 'SourceAudio') expect(facts.metadata.audio_duration).toBeCloseTo(Number(tags.get('Duration')), 3)
    if (facts?.assetClass === 'SourceTexture') expect(await sourceThumbnail(extname(path).slice(1), bytes)).not.toBe(null)
  }
})

test('pictures show something, each something else', async () => {
  const pictured = packagesOf(project.contentFolder).filter((path) => factsOf(join(project.contentFolder, path)).thumbnail)
  const pictures = await Promise.all(pictured.map((path) => pictureOf(join(project.contentFolder, path))))
  expect(pictured.length).toBeGreaterThan(40)
  for (const { contrast } of pictures) expect(contrast).toBeGreaterThan(1)
  expect(new Set(pictures.map((picture) => JSON.stringify(picture))).size).toBe(pictures.length)
})

test('it is small enough to be made for every test', () => {
  expect(project.sizeBytes).toBeLessThan(30_000_000)
})

test('one seed gives the same bytes again, another seed others', async () => {
  const [again, other] = [await anotherProject({}), await anotherProject({ seed: 'other' })]
  for (const path of filesOf(folder)) expect(hashOf(join(again, path)), path).toBe(hashOf(join(folder, path)))
  const shared = packagesOf(other).filter((path) => packagesOf(folder).includes(path))
  expect(shared.length).toBeGreaterThan(40)
  for (const path of shared) expect(hashOf(join(other, path)), path).not.toBe(hashOf(join(folder, path)))
})

test('an edit gives one prop new bytes and another colour and leaves its identity, every time', async () => {
  const root = await anotherProject({})
  const before = new Map(filesOf(root).map((path) => [path, hashOf(join(root, path))]))
  const seen = new Set<string>()
  const { file, packageName } = await editSampleProp(root, small)
  const changed = filesOf(root).filter((path) => hashOf(join(root, path)) !== before.get(path))
  expect(changed).toEqual([relative(root, file)])
  expect(factsOf(file).stableGuid).toEqual(factsOf(join(folder, relative(root, file))).stableGuid)
  expect(factsOf(file)).toMatchObject({ packageName, warnings: [] })
  const [plain, painted] = [await pictureOf(join(folder, relative(root, file))), await pictureOf(file)]
  expect(Math.abs(plain.red / plain.blue - painted.red / painted.blue)).toBeGreaterThan(0.05)
  for (let edit = 0; edit < 4; edit++) {
    seen.add(hashOf(file))
    await editSampleProp(root, small)
  }
  expect(seen.size).toBe(4)
})

test('a folder that holds anything is left alone', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sample-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await writeFile(join(root, 'notes.txt'), 'mine')
  await expect(makeSampleProject(root)).rejects.toThrow(/is not empty/)
  expect(filesOf(root)).toEqual(['notes.txt'])
})
