/** What the agent brings into projects: jobs that someone sent with `--to-agent`, and the questions that they raise. */
import type { AgentConflict, conflictAnswers, ImportReport } from '../../contract/agent-imports.ts'
import { ApiError } from '../../contract/errors.ts'
import type { PullJob } from '../../contract/pull-jobs.ts'

export class Imports {
  list(): ImportReport[] {
    return []
  }

  waiting(): PullJob[] {
    return []
  }

  of(projectKey: string): { running: ImportReport | null; waiting: number; last: ImportReport | null } {
    const own = this.list().filter(({ project_key }) => project_key === projectKey)
    return {
      running: own.find(({ ended_at }) => ended_at === null) ?? null,
      waiting: this.waiting().filter(({ target_project }) => target_project === projectKey).length,
      last: own.find(({ ended_at }) => ended_at !== null) ?? null,
    }
  }

  conflicts(_projectKey: string | undefined): AgentConflict[] {
    return []
  }

  answer(id: number, _answer: (typeof conflictAnswers)[number]): Promise<AgentConflict> {
    throw new ApiError('NOT_FOUND', `There is no conflict ${id} that waits.`)
  }
}
