/** Entry types whose props have something to see or hear. */
import type { previewTypes } from '../contract/media.ts'

/** Those that a library's preview queue lists. */
export const queuedTypes = ['mesh', 'skeletal_mesh', 'texture', 'audio'] as const satisfies typeof previewTypes
/** Source files: queues do not list them (spec 4.9). */
export const sourceTypes = ['source_mesh', 'source_texture', 'source_audio'] as const

/** Packages whose colours lie in other packages. */
export const isMeshType = (type: string | null): boolean => type === 'mesh' || type === 'skeletal_mesh'

const all = new Set<string>([...queuedTypes, ...sourceTypes])

export const isPreviewedType = (type: string | null): boolean => type !== null && all.has(type)
