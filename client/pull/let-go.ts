/** Pulls that began in a project that is there no more: their claims are given back, so that nobody waits for them. */
import { existsSync } from 'node:fs'
import { type Folders, projectStateFile, pullLock } from '../folders.ts'
import { createApi } from '../http/api.ts'
import type { Wire } from '../http/open-http.ts'
import { openWire } from '../http/open-http.ts'
import type { OpenPull } from '../memory/open-pulls.ts'
import { takeFreeLock } from '../memory/process-lock.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { isClaimGone } from './claim.ts'

/** A project of a workspace, as it is remembered here. */
export interface RememberedProject {
  folders: Folders
  /** Address of the workspace. */
  url: string
  root: string
}

/** Pulls that began in a project and did not end. */
export const openPulls = (project: RememberedProject): OpenPull[] => withMemory(project, (memory) => memory.pulls.list()) ?? []

/** Gives them back as failed; what cannot be said now stays remembered. Gives the ids of their jobs; none while another pull goes on. */
export async function letGo(wire: Wire, root: string, reason: string): Promise<number[]> {
  const { folders, url } = wire
  const lock = takeFreeLock(pullLock(projectStateFile(folders, url, root)))
  if (!lock) return []
  const http = openWire(wire, () => {})
  const api = createApi(http)
  const gone: number[] = []
  try {
    for (const { jobId, claimToken } of openPulls({ folders, url, root })) {
      const said = { job_id: jobId, claim_token: claimToken, status: 'failed', failure_reason: reason } as const
      if (claimToken !== null) await api.pullJobs.update(said).catch(undefinedWhereGone)
      withMemory({ folders, url, root }, (memory) => memory.pulls.forget([jobId]))
      gone.push(jobId)
    }
    return gone
  } finally {
    lock.release()
    await http.close('destroy')
  }
}

function undefinedWhereGone(error: unknown): undefined {
  if (!isClaimGone(error)) throw error
}

function withMemory<T>({ folders, url, root }: RememberedProject, use: (memory: ProjectMemory) => T): T | undefined {
  const state = projectStateFile(folders, url, root)
  if (!existsSync(state)) return undefined
  const memory = new ProjectMemory(state, { address: url, root })
  try {
    return use(memory)
  } finally {
    memory.close()
  }
}
