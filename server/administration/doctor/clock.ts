/** What the doctor says of two clocks that should agree: this machine's, and that of the database or of the disk. */
import { type Finding, fine, warning } from '../../../system/finding.ts'

const doubtMs = 2000

export function clockFinding(check: string, { apartMs, other }: { apartMs: number; other: string }): Finding {
  const apart = Math.abs(apartMs)
  if (apart < doubtMs) return fine(check, `The clock of this machine agrees with ${other}.`)
  return warning(
    check,
    `The clock of this machine is ${(apart / 1000).toFixed(1)} seconds ${apartMs > 0 ? 'behind' : 'ahead of'} ${other}.`,
    'Let both keep time by NTP (timedatectl set-ntp true).',
  )
}
