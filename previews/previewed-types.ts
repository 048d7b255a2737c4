/** Entry types whose props have something to see or hear. */
import type { previewTypes } from '../contract/media.ts'

/** Those that a library's preview queue lists. */
export const queuedTypes = ['mesh', 'skeletal_mesh', 'texture', 'audio'] as const satisfies typeof previewTypes
/** Source files: queues do not list them (spec 4.9). */
export const sourceTypes = ['source_mesh', 'source_texture', 'source_audio'] as const

const meshTypes = new Set<string | null>(['mesh', 'skeletal_mesh', 'source_mesh'])

/** What lies in several files: colours of packages in other packages, buffers and pictures of source files beside them. */
export const isMeshType = (type: string | null): boolean => meshTypes.has(type)

const all = new Set<string>([...queuedTypes, ...sourceTypes])

export const isPreviewedType = (type: string | null): boolean => type !== null && all.has(type)
