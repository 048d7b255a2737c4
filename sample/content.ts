// Makes a small, pretty Unreal project on disk: packages that every reader accepts, and source files beside them.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import { readPackage } from '../formats/uasset/uasset.ts'
import type { SampleAsset } from './asset.ts'
import { editedProp, meshAsset, sampleAssets, stemOf } from './catalog.ts'
import { wood } from './finish.ts'
import { writePackage } from './package.ts'
import { toPng } from './picture.ts'
import { randomBytes, randomGuid } from './random.ts'
import { barrel } from './tavern-props.ts'

export type SampleOptions = {
  /** Another seed gives other bytes and identities under the same names. */
  seed?: string
  /** The edge of the pictures inside the packages, in pixels. */
  picturePx?: number
}

export type SampleProject = {
  projectFile: string
  contentFolder: string
  packages: number
  sources: number
  sizeBytes: number
}

export type SampleEdit = { file: string; packageName: string }

const engine = '5.3.2'
/** Paints that the edited barrel goes through. */
const paints = ['#c0392f', '#3579b8', '#4f9a43', '#7d58ad']

/**
 * Writes the project into `folder`, which must be empty or not there yet. The same seed gives the same bytes.
 * Throws an Error that names the folder when something is in it already.
 */
export async function makeSampleProject(folder: string, options: SampleOptions = {}): Promise<SampleProject> {
  const { seed = 'prop-house', picturePx = 256 } = options
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0)
    throw new Error(`The folder ${folder} is not empty. Name a new one for the sample project.`)
  const projectFile = join(folder, 'PropHouseSample.uproject')
  const contentFolder = join(folder, 'Content')
  const descriptor = { FileVersion: 3, EngineAssociation: '5.3', Category: '', Description: 'A tavern at the edge of a forest.' }
  await writeFile(projectFile, `${JSON.stringify(descriptor, null, '\t')}\n`)
  const project = { projectFile, contentFolder, packages: 0, sources: 0, sizeBytes: 0 }
  const limit = pLimit(4)
  const written = sampleAssets(seed).map((asset) =>
    limit(async () => {
      const files = await assetFiles(asset, { seed, picturePx })
      project.packages++
      project.sources += files.size - 1
      for (const [ext, bytes] of files) {
        await writeNew(`${fileOf(contentFolder, asset.packageName)}.${ext}`, bytes)
        project.sizeBytes += bytes.length
      }
    }),
  )
  await Promise.all(written)
  return project
}

/** Repaints one prop as an artist would: new bytes and a new picture, the same identity. Every call makes another version. */
export async function editSampleProp(
  folder: string,
  { picturePx = 256 }: Pick<SampleOptions, 'picturePx'> = {},
): Promise<SampleEdit> {
  const file = `${fileOf(join(folder, 'Content'), editedProp)}.uasset`
  const before = await readFile(file)
  const hash = createHash('sha256').update(before).digest()
  const { stableGuid } = readPackage(before, { stem: stemOf(editedProp), fileSize: before.length })
  const paint = wood(paints[hash.readUInt32LE(0) % paints.length] ?? '', 1)
  const asset = meshAsset(editedProp, barrel(paint))
  const options = { seed: hash.toString('hex'), picturePx, guid: stableGuid?.value }
  await writeFile(file, await packageOf(asset, options))
  return { file, packageName: editedProp }
}

type Making = { seed: string; picturePx: number; guid?: string | undefined }

/** By extension: the package first, then its sources. */
async function assetFiles(asset: SampleAsset, making: Making): Promise<Map<string, Buffer>> {
  const files = new Map([[asset.assetClass === 'World' ? 'umap' : 'uasset', await packageOf(asset, making)]])
  for (const [ext, make] of Object.entries(asset.sources ?? {})) files.set(ext, await make())
  return files
}

async function packageOf(asset: SampleAsset, { seed, picturePx, guid }: Making): Promise<Buffer> {
  const { picture, payloadBytes, sources: _, ...spec } = asset
  const thumbnail = picture && { thumbnail: await toPng(picture(picturePx)) }
  const identity = guid ?? randomGuid(`${seed} ${asset.packageName}`)
  const payload = randomBytes(`${seed} ${asset.packageName}`, payloadBytes)
  return writePackage({ ...spec, ...thumbnail, engine, guid: identity, payload })
}

function fileOf(contentFolder: string, packageName: string): string {
  return join(contentFolder, ...packageName.split('/').slice(2))
}

async function writeNew(path: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes, { flag: 'wx' })
}
