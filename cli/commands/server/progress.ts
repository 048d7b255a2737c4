/** How far a check, a backup or a restore is. Pure; the time comes in. */
import { byteRow, moveBytes, type ProgressLook, type Track, track } from '../../terminal/progress.ts'
import type { ProgressModel } from '../../terminal/progress-display.ts'

export type FilesEvent =
  | { kind: 'files'; files: number; bytes: number; totalFiles: number; totalBytes: number }
  /** Something that cannot be measured. */
  | { kind: 'step'; says: string }

interface FilesProgress {
  files: Track
  says: string
}

export const filesModel = (label: string): ProgressModel<FilesProgress, FilesEvent> => ({
  start: () => ({ files: track(), says: 'Asking the server' }),
  advance: (progress, event, nowMs) =>
    event.kind === 'step' ? { ...progress, says: event.says } : { ...progress, files: moveBytes(progress.files, event, nowMs) },
  look: ({ files, says }, nowMs): ProgressLook => ({
    rows: files.total > 0 ? [byteRow(label, files, nowMs)] : [],
    waiting: undefined,
    idle: says,
  }),
})
