// What is to be written into a package, with everything decided that a spec leaves open.
import { createHash } from 'node:crypto'
import { type EngineRelease, engineRelease } from './engine-release.ts'
import { labelled } from './label.ts'
import { encodePicture, type StoredPicture } from './package-picture.ts'
import { randomGuid } from './random.ts'

export type PackageSpec = {
  /** Long package name, such as `/Game/Tavern/Props/SM_Barrel`. */
  packageName: string
  /** Short class name: `StaticMesh`, `Blueprint`, `World`, `ObjectRedirector`, … */
  assetClass: string
  /** The last part of the package name unless given. */
  assetName?: string
  /** Packages that are needed to load this one. */
  imports?: string[]
  softReferences?: string[]
  /** Asset registry tags of the main asset. */
  tags?: Record<string, string>
  /** Release that saves the package; 5.3.2 unless given. */
  engine?: string
  /** Saved by an engine built from source: it writes 0.0.0 as its version. */
  sourceBuild?: boolean
  /** The identity that survives saves, 32 hex digits; made from the package name unless given, null writes zeros. */
  guid?: string | null
  /** The identity of this save; made from the payload unless given. Before 4.24 it is the only one. */
  packageGuid?: string
  /** A PNG, its colours as they are to be seen. */
  thumbnail?: Buffer
  /** As the engine does unless given: JPEG from 5.0 on, PNG before. */
  thumbnailFormat?: 'png' | 'jpeg'
  payload?: Buffer
  /** Of an actor: what the outliner calls it, null where nobody named it. The payload stands behind it. */
  label?: string | null
  bigEndian?: boolean
  /** As the cooker leaves it: without editor data; `unversioned` without version numbers too. */
  cooked?: 'versioned' | 'unversioned'
}

export type PackagePlan = PackageSpec & {
  release: EngineRelease
  assetName: string
  payload: Buffer
  persistentGuid: string
  saveGuid: string
  picture: StoredPicture | null
  exports: { name: string; className: string }[]
}

/** In file order; the payload follows. */
export const segmentNames = [
  'summary',
  'names',
  'softPaths',
  'metadata',
  'imports',
  'exports',
  'depends',
  'softReferences',
  'searchableNames',
  'pictures',
  'pictureTable',
  'registry',
] as const
export type SegmentName = (typeof segmentNames)[number]

export type Segments = Record<SegmentName, Buffer>
/** Where each segment begins; `end` is the size of the whole header. */
export type Offsets = Record<SegmentName | 'end', number>

/** Opens every package, and closes what an editor saves. */
export const packageTag = 0x9e2a83c1
export const zeroGuid = '0'.repeat(32)
const modules: Record<string, string> = {
  ObjectRedirector: '/Script/CoreUObject',
  NiagaraSystem: '/Script/Niagara',
  WidgetBlueprint: '/Script/UMGEditor',
  LevelSequence: '/Script/LevelSequence',
}

/** The native package that a class belongs to. */
export function moduleOf(className: string): string {
  return modules[className] ?? '/Script/Engine'
}

export async function planPackage(spec: PackageSpec): Promise<PackagePlan> {
  const release = engineRelease(spec.engine ?? '5.3.2')
  const assetName = spec.assetName ?? spec.packageName.slice(spec.packageName.lastIndexOf('/') + 1)
  const { payload: data = Buffer.alloc(64), label, bigEndian = false } = spec
  const payload = label === undefined ? data : labelled(data, { label, release, bigEndian })
  const format = spec.thumbnailFormat ?? (release.major < 5 ? 'png' : 'jpeg')
  const exports = [{ name: assetName, className: spec.assetClass }]
  if (spec.assetClass.endsWith('Blueprint')) exports.push({ name: `${assetName}_C`, className: 'BlueprintGeneratedClass' })
  return {
    ...spec,
    release,
    assetName,
    payload,
    exports,
    persistentGuid: spec.guid === null ? zeroGuid : (spec.guid ?? randomGuid(`identity ${spec.packageName}`)),
    saveGuid: spec.packageGuid ?? randomGuid(`save ${spec.packageName} ${createHash('sha256').update(payload).digest('hex')}`),
    picture: spec.thumbnail && !spec.cooked ? await encodePicture(spec.thumbnail, format) : null,
  }
}
