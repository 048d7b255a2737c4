/** From where a turntable is looked at, and what keys and time make of that. Pure. */
import type { TurnKey } from './keys.ts'

export interface TurnState {
  yaw: number
  pitch: number
  zoom: number
  isTurning: boolean
  /** Since the last key. */
  idleMs: number
}

/** As the pictures of the library begin. */
export const firstView = { yaw: 55, pitch: 18, zoom: 1 }
export const startTurning = (isTurning: boolean): TurnState => ({ ...firstView, isTurning, idleMs: 0 })

const degreesPerSecond = 36
const stepDegrees = 10
const mostPitch = 89
const zoomStep = 1.2
const zooms = { least: 0.25, most: 20 }
/** Nobody looks any more. */
const mostIdleMs = 5 * 60_000

/** Left turns its left side to the front. What turns by itself stops where it is turned by hand. */
export function pressed(state: TurnState, key: TurnKey): TurnState {
  const now = { ...state, idleMs: 0 }
  switch (key) {
    case 'left':
      return { ...now, yaw: turned(state.yaw - stepDegrees), isTurning: false }
    case 'right':
      return { ...now, yaw: turned(state.yaw + stepDegrees), isTurning: false }
    case 'up':
      return { ...now, pitch: Math.min(mostPitch, state.pitch + stepDegrees) }
    case 'down':
      return { ...now, pitch: Math.max(-mostPitch, state.pitch - stepDegrees) }
    case 'in':
      return { ...now, zoom: Math.min(zooms.most, state.zoom * zoomStep) }
    case 'out':
      return { ...now, zoom: Math.max(zooms.least, state.zoom / zoomStep) }
    case 'fit':
      return { ...now, ...firstView }
    case 'space':
      return { ...now, isTurning: !state.isTurning }
    default:
      return now
  }
}

export function passed(state: TurnState, ms: number): TurnState {
  const idleMs = state.idleMs + ms
  if (!state.isTurning) return { ...state, idleMs }
  return { ...state, idleMs, yaw: turned(state.yaw + (degreesPerSecond * ms) / 1000), isTurning: idleMs < mostIdleMs }
}

const turned = (yaw: number): number => ((yaw % 360) + 360) % 360
