/** What is asked of the threads that make previews and thumbnails, and what they answer: for those who only ask. */
import { posix } from 'node:path'
import type { MediaKind } from '../../contract/media.ts'
import type { FormatErrorReason } from '../../formats/format-error.ts'

/** Raised when files that gave nothing, or ended their thread, are worth another try. */
export const makerVersion = '2'

/** One version's file, and what is wanted of it. */
export interface MediaOrder {
  want: 'media'
  path: string
  /** What people call the file, where it lies under another name. */
  name?: string
  /** Of the version; a file that holds something else by now is left alone. */
  hash: string
  preview: boolean
  thumbnail: boolean
  /** Files that it needs: packages with its colours, or the buffers and pictures of a source file. Without them they are looked for beside it. */
  needed?: NeededFiles
}

/** Paths of files, see `neededName`. */
export type NeededFiles = ReadonlyMap<string, string>

/** What a library knows of a file and where it was pushed from. */
interface KnownFile {
  origin_path: string | null
  asset_name: string | null
  source_ext: string | null
  /** Nothing from a server that does not tell. */
  source_path?: string | null | undefined
}

/**
 * By which name a file is asked for by one that needs it. Of a package the long name in small letters, `/game/props/m_wood`; of packages
 * of plugins a library knows the last part only, `m_wood`. Of a source file its address, `textures/oak.png`, relative to the other.
 */
export function neededName(file: KnownFile, by: Pick<KnownFile, 'source_path'> | undefined): string | undefined {
  const { origin_path, asset_name, source_ext, source_path } = file
  if (source_ext === null) return (origin_path ?? asset_name)?.toLowerCase()
  if (source_path == null) return asset_name === null ? undefined : `${asset_name}.${source_ext}`
  return posix.relative(posix.dirname(by?.source_path ?? source_path), source_path)
}

/** What a library gives for one preview, nearest first; real meshes need some dozens, of some MiB. */
export const mostNeeded = { count: 256, bytes: 256 * 1024 ** 2 }

export interface MadePreview {
  kind: Exclude<MediaKind, 'thumbnail'>
  bytes: Uint8Array
  measures: Record<string, number>
  /** What was made less than the source has, in sentences. */
  reduced: string[]
}

export interface MadeMedia {
  preview?: MadePreview
  thumbnail?: Uint8Array
  /** Whether the editor made the thumbnail. */
  isEmbedded?: boolean
  /** Why there is no preview, or nothing to draw a thumbnail of. */
  lacks?: Lack
}

export interface Lack {
  /** `changed`: the bytes are not the version's. `beside`: files that it names are not here. `no-source`: its class has nothing to show. */
  reason: FormatErrorReason | 'changed' | 'beside' | 'no-source'
  message: string
}

/** Whether it lies in the bytes of the version, so that nobody can make more of them elsewhere. */
export const isCertain = ({ reason }: Lack): boolean => reason !== 'changed' && reason !== 'beside'
