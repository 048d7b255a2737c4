/** `@prop-house/client/push`: folders and files of a project into the library. */
export type { PushEvent, PushPhase } from '../progress.ts'
export type { Problem } from '../project/problem.ts'
export type { HeldAnswer, HeldAnswers, HeldItem } from '../push/held/answers.ts'
export { type PushOptions, push } from '../push/push.ts'
export { isPartly, type PushedItem, type PushReport, type PushStatus, type PushSummary } from '../push/report.ts'
