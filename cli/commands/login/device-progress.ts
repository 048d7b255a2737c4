/** Where a sign-in in the browser is, for the display: how long its code is valid, and what is in the way. Pure; the time comes in. */

import { printable } from '../../../system/printable.ts'
import { duration } from '../../terminal/amounts.ts'
import type { ProgressLook } from '../../terminal/progress.ts'

export interface DeviceProgress {
  expiresAtMs: number
  trouble: string | undefined
}

export type DeviceEvent =
  | { kind: 'code'; expiresAtMs: number }
  /** Why the server cannot be asked; undefined once it can be again. */
  | { kind: 'trouble'; reason: string | undefined }

function advance(progress: DeviceProgress, event: DeviceEvent): DeviceProgress {
  return event.kind === 'code' ? { expiresAtMs: event.expiresAtMs, trouble: undefined } : { ...progress, trouble: event.reason }
}

function look({ expiresAtMs, trouble }: DeviceProgress, nowMs: number): ProgressLook {
  const left = `${duration(Math.max(0, expiresAtMs - nowMs))} left`
  return {
    rows: [],
    waiting: trouble && `Asking again, ${left}: ${printable(trouble)}`,
    idle: `Waiting for approval, ${left}`,
  }
}

/** A sign-in for the display. */
export const deviceModel = { start: (): DeviceProgress => ({ expiresAtMs: 0, trouble: undefined }), advance, look }
