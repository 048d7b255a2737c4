/** Annotations: shapes drawn on a thumbnail or preview of one version, alone or for a comment (spec 2, 4.7). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Id, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

export const annotationShapes = ['rect', 'ellipse', 'freehand', 'point3d'] as const
export type AnnotationShape = (typeof annotationShapes)[number]

/** Which fields it has is up to the shape; `geometryFailure` says what is wrong with one. */
const Geometry = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const Annotation = Type.Object({
  id: Id,
  entry_id: Id,
  object_id: Id,
  preview_artifact_id: Id,
  comment_id: nullable(Id),
  shape: oneOf(annotationShapes),
  geometry: Geometry,
  author: UserStub,
  created_at: Timestamp,
})
export type Annotation = Static<typeof Annotation>

export const annotations = routes({
  list: {
    method: 'GET',
    path: '/entries/{entry_id}/annotations',
    scope: 'read',
    summary: 'List what was drawn on the pictures of an entry, or of one version, oldest first.',
    input: Type.Object({ entry_id: Id, object_id: Type.Optional(Id) }),
    output: Type.Object({ annotations: Type.Array(Annotation) }),
    errors: ['ENTRY_NOT_FOUND', 'VALIDATION'],
  },
  create: {
    method: 'POST',
    path: '/entries/{entry_id}/annotations',
    scope: 'write',
    summary: 'Draw on a thumbnail or preview of a version.',
    input: Type.Object({
      entry_id: Id,
      object_id: Id,
      preview_artifact_id: Id,
      shape: oneOf(annotationShapes),
      geometry: Geometry,
      comment_id: absentOrNull(Id),
    }),
    output: Annotation,
    status: 201,
    errors: ['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'COMMENT_NOT_FOUND', 'LINEAGE_CONFLICT', 'VALIDATION'],
  },
  update: {
    method: 'PATCH',
    path: '/annotations/{annotation_id}',
    scope: 'write',
    effect: 'adds',
    summary: 'Tie an annotation that belongs to no comment to one.',
    input: Type.Object({ annotation_id: Id, comment_id: Id }),
    output: Annotation,
    errors: ['ANNOTATION_NOT_FOUND', 'COMMENT_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/annotations/{annotation_id}',
    scope: 'write',
    summary: 'Delete an annotation (its author, or an admin).',
    input: Type.Object({ annotation_id: Id }),
    errors: ['ANNOTATION_NOT_FOUND', 'FORBIDDEN'],
  },
})

const { pointsMin, pointsMax, geometryBytes } = limits.annotation
type Fields = Readonly<Record<string, unknown>>

/** What is wrong with the geometry of a shape, in words; undefined where it is as it has to be. */
export function geometryFailure(shape: AnnotationShape, geometry: Fields): string | undefined {
  const { fields, failure } = shapes[shape]
  const unknown = Object.keys(geometry).find((key) => !fields.includes(key))
  if (unknown !== undefined) return `holds ${JSON.stringify(unknown)}; ${shape} has exactly ${fields.join(', ')}`
  const missing = fields.find((field) => !Object.hasOwn(geometry, field))
  if (missing !== undefined) return `lacks ${missing}; ${shape} has exactly ${fields.join(', ')}`
  const bytes = new TextEncoder().encode(JSON.stringify(geometry)).length
  if (bytes > geometryBytes) return `is ${bytes} bytes of JSON; at most ${geometryBytes} are taken`
  return failure(geometry)
}

interface ShapeRule {
  fields: readonly string[]
  failure(geometry: Fields): string | undefined
}

const box: ShapeRule = {
  fields: ['x', 'y', 'w', 'h'],
  failure: (geometry) => (Object.values(geometry).every(isShare) ? undefined : 'needs x, y, w and h from 0 to 1'),
}

const shapes: Record<AnnotationShape, ShapeRule> = {
  rect: box,
  ellipse: box,
  freehand: {
    fields: ['points'],
    failure: ({ points }) => {
      if (!Array.isArray(points) || points.length < pointsMin || points.length > pointsMax)
        return `needs ${pointsMin} to ${pointsMax} points`
      return points.every((point) => isList(point, { length: 2, of: isShare }))
        ? undefined
        : 'needs points [x, y], each coordinate from 0 to 1'
    },
  },
  point3d: {
    fields: ['point', 'camera'],
    failure: ({ point, camera }) => {
      if (!isList(point, { length: 3, of: Number.isFinite })) return 'needs a point [x, y, z]'
      const isObject = typeof camera === 'object' && camera !== null && !Array.isArray(camera)
      return isObject ? undefined : 'needs a camera, which is an object'
    },
  },
}

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1

const isList = (value: unknown, { length, of }: { length: number; of: (one: unknown) => boolean }): boolean =>
  Array.isArray(value) && value.length === length && value.every(of)
