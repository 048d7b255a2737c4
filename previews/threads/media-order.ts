/** What is asked of the threads that make previews and thumbnails, and what they answer: for those who only ask. */
import type { MediaKind } from '../../contract/media.ts'
import type { FormatErrorReason } from '../../formats/format-error.ts'

/** Raised when files that gave nothing, or ended their thread, are worth another try. */
export const makerVersion = '1'

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
  /** Files of packages that it needs, by name, for its colours. Without them they are looked for beside it, in its project. */
  packages?: PackageFiles
}

/** Paths of files by the names of their packages, see `packageKey`. */
export type PackageFiles = ReadonlyMap<string, string>

/** The long name in small letters, `/game/props/m_wood`; of packages of plugins a library knows the last part only, `m_wood`. */
export const packageKey = ({
  origin_path,
  asset_name,
}: {
  origin_path: string | null
  asset_name: string | null
}): string | undefined => (origin_path ?? asset_name)?.toLowerCase()

/** What a library gives of one preview's colours, nearest first; real meshes need some dozens, of some MiB. */
export const mostPackages = { count: 256, bytes: 256 * 1024 ** 2 }

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
