/** What can be drawn of a version: its preview, else its own file where that is small, out of the cache or from the library. */

import { readCacheSize } from '../../client/content/cache-size.ts'
import { CachedBytes } from '../../client/content/cached-bytes.ts'
import { waitMsOf } from '../../client/settings/seconds.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import type { SubjectSource } from '../../previews/subjects/subject.ts'
import { foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import type { Library } from '../library.ts'

/** A version as far as it takes to draw it. */
export interface DrawableVersion {
  /** Of its file, without the end. */
  stem: string
  preview_artifact_id: number | null
  preview_kind: string | null
  content_hash: string
  blob_size: number
  /** Of a source file; null for a package. */
  source_ext: string | null
  asset_class: string
}

/** In bytes: larger ones are left where they are. */
export interface DrawableBounds {
  preview: number
  file: number
  signal: AbortSignal
}

const MiB = 1024 * 1024
/** What a picture beside words may cost. */
export const adornment = { preview: 16 * MiB, file: 8 * MiB }
/** What someone waits for who asked to look. */
export const attention = { preview: limits.preview.glbBytes, file: 512 * MiB }
const usualWaitMs = 4000

/** So long a picture beside words is waited for: `PH_PICTURES_WAIT` in seconds, else four. */
export function adornmentSignal({ env, signal }: Context): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(waitMsOf(env.PH_PICTURES_WAIT, usualWaitMs))])
}

/** A file is called as its place says; an entry may have been renamed. */
export const stemOf = ({ origin_path, name }: { origin_path: string | null; name: string }): string =>
  origin_path?.split('/').at(-1) || name

export const drawableOf = (entry: EntryDetail): DrawableVersion => ({
  ...{ stem: stemOf(entry), asset_class: entry.asset_class, source_ext: entry.source_ext },
  ...{ preview_artifact_id: entry.preview_artifact_id, preview_kind: entry.preview_kind },
  ...{ content_hash: entry.face.content_hash, blob_size: entry.blob_size },
})

const drawnClasses: ReadonlySet<string> = new Set([
  ...['StaticMesh', 'SkeletalMesh', 'Texture2D', 'TextureCube', 'SoundWave'],
  ...['SourceMesh', 'SourceTexture', 'SourceAudio'],
])

/** Others have no source that is read. A class may come with its module: `/Script/Engine.StaticMesh`. */
export const canBeDrawn = ({ asset_class }: Pick<DrawableVersion, 'asset_class'>): boolean =>
  drawnClasses.has(asset_class.split('.').at(-1) ?? '')

const previewEnds: Record<string, string> = { glb: 'glb', image: 'png', audio: 'wav' }

/** Of each version what to draw; undefined where there is nothing, or too much. Throws what the way to the library throws. */
export async function fetchDrawables(
  context: Context,
  { api, http }: Library,
  { versions, bounds }: { versions: readonly DrawableVersion[]; bounds: DrawableBounds },
): Promise<(SubjectSource | undefined)[]> {
  const cached = new CachedBytes({ api, http, folders: foldersOf(context), cacheBytes: readCacheSize(context.env.PH_CACHE_SIZE) })
  try {
    return await Promise.all(versions.map((version) => fetchDrawable(cached, version, bounds)))
  } finally {
    cached.close()
  }
}

async function fetchDrawable(
  cached: CachedBytes,
  version: DrawableVersion,
  { preview, file, signal }: DrawableBounds,
): Promise<SubjectSource | undefined> {
  const { stem, preview_artifact_id: artifactId, preview_kind: kind, content_hash: hash, blob_size: size } = version
  const end = previewEnds[kind ?? '']
  const bytes = artifactId === null || !end ? undefined : await cached.artifact(artifactId, { mostBytes: preview, signal })
  if (bytes) return { name: `${stem}.${end}`, bytes }
  if (!canBeDrawn(version)) return undefined
  const own = await cached.file({ hash, size }, { mostBytes: file, signal })
  return own && { name: `${stem}.${version.source_ext ?? 'uasset'}`, bytes: own }
}
