/** Other people who sent props to projects of this machine, and whether the desktop agent may bring what they send. */
import { type Static, Type } from 'typebox'
import { ProjectName, PullJob } from './pull-jobs.ts'
import { routes } from './route.ts'
import { absentOrNull, Id, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

/** `allow`: what they send arrives by itself. `deny`: it is left to `ph pull`, and nobody is asked again. */
export const senderAnswers = ['allow', 'deny'] as const

export const AgentSender = Type.Object({
  project_key: Type.String(),
  sender: UserStub,
  /** Null: the person of this machine was asked, and has not answered. Until then nothing is brought. */
  answer: nullable(oneOf(senderAnswers)),
  /** When it was asked, or answered. */
  at: Timestamp,
  /** What waits, each with its note. */
  jobs: Type.Array(PullJob),
})
export type AgentSender = Static<typeof AgentSender>

export const agentSenders = routes({
  list: {
    method: 'GET',
    path: '/agent/v1/senders',
    scope: 'local',
    summary: 'List people who sent props to projects of this machine, what of it waits, and who may.',
    input: Type.Object({ project_key: Type.Optional(ProjectName) }),
    output: Type.Object({ senders: Type.Array(AgentSender) }),
  },
  answer: {
    method: 'PUT',
    path: '/agent/v1/senders',
    scope: 'local',
    summary:
      'Say whether what a person sends to a project is brought. It is remembered for that person and that project; null takes the answer back, and the next job asks again.',
    input: Type.Object({ project_key: ProjectName, sender_id: Id, answer: absentOrNull(oneOf(senderAnswers)) }),
    output: AgentSender,
    errors: ['NOT_FOUND', 'USER_NOT_FOUND'],
  },
  refuse: {
    method: 'POST',
    path: '/agent/v1/senders/refuse',
    scope: 'local',
    summary:
      'Refuse a job that another person sent, with all that was ordered with it: it ends as failed, and says who refused it and why.',
    input: Type.Object({ job_id: Id, reason: absentOrNull(Type.String({ maxLength: 1000 })) }),
    output: Type.Object({ job_ids: Type.Array(Id) }),
    errors: ['JOB_NOT_FOUND', 'CONFLICT', 'JOB_STATE'],
  },
})
