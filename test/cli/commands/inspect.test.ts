/** ph inspect: what is in files, as JSON for programs and as lines for people. */
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { FileDescription } from '../../../cli/commands/inspect/file-description.ts'
import { toBinaryFbx } from '../../../sample/fbx.ts'
import { writePackage } from '../../../sample/package.ts'
import { scene } from '../../support/fbx.ts'
import { oggPage, vorbisHeader } from '../../support/ogg.ts'
import { ph } from '../../support/ph.ts'
import { sha256 } from '../../support/push.ts'
import { fixtureFolder, realPackages } from '../../support/real-packages.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const barrel = await writePackage({
  packageName: '/Game/Tavern/Props/SM_Barrel',
  assetClass: 'StaticMesh',
  imports: ['/Game/Tavern/Materials/M_Oak', '/Script/Engine', '/Engine/EngineMaterials/WorldGridMaterial'],
  softReferences: ['/Game/Tavern/Sounds/S_Roll'],
  tags: { Triangles: '1204' },
  guid: '0123456789ABCDEF0123456789ABCDEF',
  engine: '5.4.4',
})

async function inspect(files: string[], cwd?: string): Promise<{ code: number; files: FileDescription[] }> {
  const outcome = await ph(['inspect', '--json', ...files], cwd === undefined ? {} : { cwd })
  return { code: outcome.code, ...(outcome.json() as { files: FileDescription[] }) }
}

test('a package is described whole', async () => {
  const cwd = temporaryFolder({ 'Content/Tavern/Props/SM_Barrel.uasset': barrel })
  const { code, files } = await inspect(['Content/Tavern/Props/SM_Barrel.uasset'], cwd)
  expect(code).toBe(0)
  expect(files).toEqual([
    {
      file: 'Content/Tavern/Props/SM_Barrel.uasset',
      sha256: sha256(barrel),
      size: barrel.length,
      format: 'uasset',
      asset_class: 'StaticMesh',
      asset_name: 'SM_Barrel',
      package_name: '/Game/Tavern/Props/SM_Barrel',
      origin_path: '/Game/Tavern/Props/SM_Barrel',
      package_guid: '0123456789ABCDEF0123456789ABCDEF',
      engine_version: '5.4.4',
      imports: ['/Game/Tavern/Materials/M_Oak'],
      plugin_imports: [],
      soft_references: ['/Game/Tavern/Sounds/S_Roll'],
      thumbnail: null,
      metadata: { tri_count: 1204 },
    },
  ])
})

test('a package that does not hold its own name has the one its folder gives it', async () => {
  const old = await writePackage({ packageName: '/Game/Old/SM_Chair', assetClass: 'StaticMesh', engine: '4.26.2' })
  const cwd = temporaryFolder({ 'My.uproject': '{}', 'Content/Old/SM_Chair.uasset': old, 'elsewhere/SM_Chair.uasset': old })
  const { files } = await inspect(['Content/Old/SM_Chair.uasset'], cwd)
  expect(files[0]).toMatchObject({ package_name: '/Game/Old/SM_Chair', origin_path: '/Game/Old/SM_Chair' })
})

test('models and sounds are described by what they hold', async () => {
  const cwd = temporaryFolder({
    'Square.fbx': toBinaryFbx(scene({ unit: 100 })),
    'Bell.ogg': Buffer.concat([vorbisHeader(), oggPage({ granule: 72_000n, body: Buffer.alloc(99) })]),
    'Crate.obj': '# Blender 4.1\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nusemtl Oak\n',
  })
  const { code, files } = await inspect(['Square.fbx', 'Bell.ogg', 'Crate.obj'], cwd)
  expect(code).toBe(0)
  expect(files).toMatchObject([
    { format: 'fbx', asset_class: 'SourceMesh', metadata: { tri_count: 2, vert_count: 4, bounds_x: 200, bounds_y: 100 } },
    { format: 'ogg', asset_class: 'SourceAudio', metadata: { audio_duration: 1.5, sample_rate: 48_000, channel_count: 2 } },
    { format: 'obj', metadata: { tri_count: 1, vert_count: 3, material_count: 1, source_app: 'Blender 4.1' } },
  ])
})

test('people get the same as lines', async () => {
  const cwd = temporaryFolder({ 'SM_Barrel.uasset': barrel })
  const { stdout } = await ph('inspect SM_Barrel.uasset', { cwd })
  for (const fact of ['StaticMesh', '5.4.4', sha256(barrel), '/Game/Tavern/Materials/M_Oak', '1204'])
    expect(stdout).toContain(fact)
})

test('a file that is missing, a folder and a Git LFS pointer say what is wrong, and the others are described', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n'
  const cwd = temporaryFolder({ 'SM_Barrel.uasset': barrel, 'P.uasset': pointer, 'cut.uasset': barrel.subarray(0, 200) })
  const { code, files } = await inspect(['SM_Barrel.uasset', 'gone.uasset', '.', 'P.uasset', 'cut.uasset'], cwd)
  expect(code).toBe(6)
  expect(files.map(({ file, error }) => [file, error])).toEqual([
    ['SM_Barrel.uasset', undefined],
    ['gone.uasset', 'There is no such file.'],
    ['.', 'This is a folder; name the files in it.'],
    ['P.uasset', expect.stringContaining('git lfs pull')],
    ['cut.uasset', expect.stringContaining('cut off')],
  ])
  expect(files[3]?.sha256).toBe(sha256(Buffer.from(pointer)))
})

test('when nothing could be described the exit code is 1', async () => {
  expect((await inspect(['gone.uasset'], temporaryFolder())).code).toBe(1)
})

test('on a terminal that shows pictures, those in the files are shown', async () => {
  const thumbnail = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c0392f' } })
    .png()
    .toBuffer()
  const pictured = await writePackage({
    packageName: '/Game/SM_Red',
    assetClass: 'StaticMesh',
    thumbnail,
    thumbnailFormat: 'png',
  })
  const cwd = temporaryFolder({ 'SM_Red.uasset': pictured })
  const screen = { cwd, columns: 80, env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' } }
  const red = '38;2;192;57;47m'
  expect((await ph('inspect SM_Red.uasset', screen)).stdout).toContain(red)
  expect((await ph('inspect SM_Red.uasset --no-pictures', screen)).stdout).not.toContain(red)
  expect((await ph('inspect SM_Red.uasset --json', screen)).stdout).not.toContain(red)
})

test('a name cannot drive the terminal', async () => {
  const cwd = temporaryFolder({ 'a\u001b[2Jb.txt': 'x' })
  const { stdout } = await ph(['inspect', 'a\u001b[2Jb.txt'], { cwd, columns: 80, env: { NO_COLOR: '1' } })
  expect(stdout).not.toContain('\u001b')
})

test.runIf(fixtureFolder)('every real package is described as an independent reader found it', async () => {
  const known = realPackages().filter(({ path }) => path.startsWith('content/'))
  const { files } = await inspect(known.map(({ path }) => join(fixtureFolder ?? '', path)))
  expect(files).toHaveLength(known.length)
  for (const [at, { path, expected }] of known.entries()) {
    const { thumbnail } = expected
    expect(files[at], path).toMatchObject({
      size: expected.size,
      asset_class: expected.asset_class,
      asset_name: expected.asset_name,
      package_guid: expected.stable_guid,
      engine_version: expected.engine_version_known ? expected.engine_version : null,
      imports: expected.import_packages_game,
      plugin_imports: expected.import_packages_other.filter((name) => !/^\/(Game|Engine)\//.test(name)),
      thumbnail: thumbnail && { width: thumbnail.width, height: thumbnail.height },
    })
  }
})
