/** `@prop-house/client/status`: every file of a project beside the library. */
export type { FileLock, FileState, KnownBy, StatusFile, StatusReport, StatusSummary } from '../status/report.ts'
export { type StatusOptions, status } from '../status/status.ts'
