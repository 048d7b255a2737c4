/** `ph doctor`: a look for faults at this machine, the way to the server, and the project here. Start here. */

import type { Finding } from '../../system/finding.ts'
import type { Folders } from '../folders.ts'
import type { Wanted } from '../sign-in/profile.ts'
import { checkMachine } from './machine.ts'
import { checkProject } from './project.ts'
import { checkServer } from './server.ts'

export interface CheckupOptions {
  folders: Folders
  /** What a command would connect to. */
  wanted: Wanted
  env: Record<string, string | undefined>
  cwd: string
  clientName: string
  now(): Date
  signal: AbortSignal
  /** How long the server, and the project, may take each, in milliseconds. */
  limitMs?: number
}

const defaultLimitMs = 15_000

/** Everything that was found, in the order of what it builds on. Changes nothing; throws only the reason of an aborted signal. */
export async function checkUp(options: CheckupOptions): Promise<Finding[]> {
  const limited = { ...options, limitMs: options.limitMs ?? defaultLimitMs }
  const parts = await Promise.all([checkMachine(limited), checkServer(limited), checkProject(limited)])
  options.signal.throwIfAborted()
  return parts.flat()
}

export type Limited = CheckupOptions & { limitMs: number }
