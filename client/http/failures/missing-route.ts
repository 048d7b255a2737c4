/** Servers that do not have a route. */
import { ApiError } from '../../../contract/errors.ts'

/** An older server knows no such route, or not that way to ask it. */
export const isMissingRoute = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'NOT_FOUND' || error.status === 405)
