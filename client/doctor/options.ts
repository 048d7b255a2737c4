/** What a look for faults is given. */
import type { Folders } from '../folders.ts'
import type { ConnectionChoice } from '../sign-in/profile.ts'

export interface CheckupOptions {
  folders: Folders
  /** What a command would connect to. */
  choice: ConnectionChoice
  env: Record<string, string | undefined>
  cwd: string
  clientName: string
  now(): Date
  signal: AbortSignal
  /** How long the server, and the project, may take each, in milliseconds. */
  limitMs?: number
}

export type Limited = CheckupOptions & { limitMs: number }
