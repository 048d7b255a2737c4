/** `@prop-house/client/status`: every file of a project beside the library. */
export type { FileState } from '../../contract/file-states.ts'
export type { FileLock, KnownBy, StatusFile, StatusReport, StatusSummary } from '../status/report.ts'
export { type StatusOptions, status } from '../status/status.ts'
