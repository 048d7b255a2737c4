/** Tells one start of the system from another: files that were not synced are believed only until the next one. */
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

const bootIdFile = '/proc/sys/kernel/random/boot_id'

/** Differs after every start of the system. It may also differ without one, where only the clock can be asked. */
export function bootMark(): string {
  try {
    return readFileSync(bootIdFile, 'utf8').trim()
  } catch {
    return `started ${Math.round((Date.now() / 1000 - uptime()) / 10)}`
  }
}
