/** `ph doctor`: a look for faults at this machine, the way to the server, and the project here. Start here. */

import type { Finding } from '../../system/finding.ts'
import { checkMachine } from './machine.ts'
import type { CheckupOptions } from './options.ts'
import { checkProject } from './project.ts'
import { checkServer } from './server.ts'

const defaultLimitMs = 15_000

/** Everything that was found, in the order of what it builds on. Changes nothing; throws only the reason of an aborted signal. */
export async function checkUp(options: CheckupOptions): Promise<Finding[]> {
  const limited = { ...options, limitMs: options.limitMs ?? defaultLimitMs }
  const parts = await Promise.all([checkMachine(limited), checkServer(limited), checkProject(limited)])
  options.signal.throwIfAborted()
  return parts.flat()
}
