/** Drawings as a program hands them over: JSON, read and checked before anything is sent; every fault is named with its field. */
import { type AnnotationShape, annotationShapes, geometryFailure } from '../../contract/annotations.ts'

/** What is drawn. Fields that are left out are filled in: the current version, its picture, no comment. */
export interface Drawing {
  shape: AnnotationShape
  geometry: Record<string, unknown>
  object_id?: number
  preview_artifact_id?: number
  comment_id?: number
}

export interface Fault {
  /** `geometry`, or with several drawings `[2].geometry`, counted from 0 as programs do. */
  path: string
  message: string
}

const idFields = ['object_id', 'preview_artifact_id', 'comment_id'] as const
const known: readonly string[] = ['shape', 'geometry', ...idFields]

/** One drawing, or a list of them. */
export function readDrawings(document: unknown): { drawings: Drawing[]; faults: Fault[] } {
  const isList = Array.isArray(document)
  const given: unknown[] = isList ? document : [document]
  const drawings: Drawing[] = []
  const faults: Fault[] = given.length === 0 ? [{ path: '', message: 'holds no drawing' }] : []
  for (const [at, one] of given.entries()) {
    const place = isList ? `[${at}]` : ''
    const found = faultsOf(one)
    const under = (field: string) => [place, field].filter(Boolean).join('.')
    faults.push(...found.map(({ path, message }) => ({ path: under(path), message })))
    if (found.length === 0) drawings.push(one as Drawing)
  }
  return { drawings, faults }
}

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isId = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1

function faultsOf(given: unknown): Fault[] {
  if (!isObject(given)) return [{ path: '', message: `is no drawing: an object with shape and geometry is needed` }]
  const faults: Fault[] = Object.keys(given)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: field, message: `is no field of a drawing; there are ${known.join(', ')}` }))
  for (const field of idFields)
    if (given[field] !== undefined && given[field] !== null && !isId(given[field]))
      faults.push({ path: field, message: 'is an id, a whole number from 1' })
  const shape = annotationShapes.find((one) => one === given.shape)
  if (shape === undefined) faults.push({ path: 'shape', message: `is one of ${annotationShapes.join(', ')}` })
  if (!isObject(given.geometry)) faults.push({ path: 'geometry', message: 'is an object, which depends on the shape' })
  else if (shape !== undefined) {
    const message = geometryFailure(shape, given.geometry)
    if (message !== undefined) faults.push({ path: 'geometry', message })
  }
  return faults
}
