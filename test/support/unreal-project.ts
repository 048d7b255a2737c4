/** A small Unreal project on disk for a test, and pushes of it to a test server. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findFolders } from '../../client/folders.ts'
import { type PushOptions, push } from '../../client/push/push.ts'
import type { PushReport } from '../../client/push/report.ts'
import { writePackage } from '../../sample/package.ts'
import type { PackageSpec } from '../../sample/package-plan.ts'
import { temporaryFolder, writeFiles } from './temporary-folder.ts'

/** A package by its path below the project, such as `Content/Props/SM_Barrel.uasset`; the name follows from the path. */
export type Packages = Record<string, Partial<PackageSpec>>

/** A PNG of one pixel. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export interface TestProject {
  root: string
  state: string
  /** Writes packages: new ones, or new saves of old ones. */
  save(packages: Packages): Promise<void>
  write(files: Record<string, string | Uint8Array>): void
  remove(...files: string[]): void
  /** Waits until the clock has moved on from the last change of any file, so that fingerprints taken now are trusted. */
  settle(): Promise<void>
  /** Pushes paths below the project, the whole Content folder unless said otherwise. */
  push(to: Target, options?: Partial<PushOptions>): Promise<PushReport>
}

/** Answers for everything that is held: it is a new version. */
export const attachAll: PushOptions['held'] = (held) => ({ answers: new Map(held.map(({ file }) => [file, 'continue'])) })

/** Longer than the window in which a fingerprint is not trusted. */
const racyMs = 80

/** A workspace and the key of a person who may write. */
export interface Target {
  url: string
  key: string
}

export async function makeProject(
  packages: Packages = {},
  descriptor: object = { EngineAssociation: '5.3' },
  name = 'Project',
): Promise<TestProject> {
  const folder = temporaryFolder()
  const root = join(folder, name)
  const state = join(folder, 'state')
  const project: TestProject = {
    root,
    state,
    async save(more) {
      for (const [path, spec] of Object.entries(more)) writeFiles(root, { [path]: await packageAt(path, spec) })
    },
    write: (files) => writeFiles(root, files),
    remove: (...files) => {
      for (const file of files) rmSync(join(root, file), { recursive: true })
    },
    async settle() {
      const touchedMs = Date.now()
      while (Date.now() < touchedMs + racyMs) await new Promise(setImmediate)
    },
    push: ({ url, key }, options = {}) => {
      const paths = (options.paths ?? ['Content']).map((path) => join(root, path))
      return push({ url, key, folders: findFolders({ PH_STATE_DIR: state }), ...options, paths })
    },
  }
  writeFiles(root, { [`${name}.uproject`]: JSON.stringify(descriptor) })
  await project.save(packages)
  return project
}

/** The bytes of a package as it is saved at a place below a project. */
export const packageAt = (path: string, spec: Partial<PackageSpec>): Promise<Buffer> => writePackage(specOf(path, spec))

/** The name a package has at its place, and the class that its prefix stands for. */
function specOf(path: string, spec: Partial<PackageSpec>): PackageSpec {
  const [, below = path] = /^Content\/(.*)\.u(?:asset|map)$/.exec(path) ?? []
  const [, plugin, inPlugin] = /^Plugins\/([^/]+)\/Content\/(.*)\.uasset$/.exec(path) ?? []
  const packageName = plugin ? `/${plugin}/${inPlugin}` : `/Game/${below}`
  const assetClass = path.endsWith('.umap')
    ? 'World'
    : (classes[packageName.split('/').at(-1)?.split('_')[0] ?? ''] ?? 'DataAsset')
  return { packageName, assetClass, ...spec }
}

const classes: Record<string, string> = {
  SM: 'StaticMesh',
  M: 'Material',
  MI: 'MaterialInstanceConstant',
  T: 'Texture2D',
  BP: 'Blueprint',
  S: 'SoundWave',
}
