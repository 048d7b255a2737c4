/** `@prop-house/client/pull`: props with everything they need into a project, and what that would come to. */
export { requireEntryId, requireEntryIds } from '../entries/reference.ts'
export type { PullEvent, PullPhase } from '../progress.ts'
export type { Conflict, ConflictAnswer, ConflictAnswers, OrderedEntry } from '../pull/options.ts'
export { type JobPlan, type PlannedFile, type PullPlan, planPull } from '../pull/plan.ts'
export { type PullOptions, pull } from '../pull/pull.ts'
export type { JobReport, Outcome, PulledFile, PullReport } from '../pull/report.ts'
export { findTarget, type PullTarget, type TargetChoice } from '../pull/target-project.ts'
