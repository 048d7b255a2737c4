/** Tells one start of the system from another, and one machine from another. */
import { readFileSync } from 'node:fs'
import { hostname, uptime } from 'node:os'

const bootIdFile = '/proc/sys/kernel/random/boot_id'

/** Differs after every start of the system. It may also differ without one, where only the clock can be asked. */
export function bootId(): string {
  try {
    return readFileSync(bootIdFile, 'utf8').trim()
  } catch {
    return `${hostname()} started ${Math.round((Date.now() / 1000 - uptime()) / 10)}`
  }
}
