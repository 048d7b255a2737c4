/** What the desktop agent heard of a project's files, for looks that need not look at all of them then. */
import type { AgentContract } from '../../contract/agent.ts'
import type { OutputOf } from '../../contract/route.ts'
import type { Folders } from '../folders.ts'
import { agentSeen } from './agent.ts'

type Touched = OutputOf<AgentContract['agentFiles']['touched']>

/** One that is stopped or in trouble holds up nobody for longer. */
const answerMs = 1000

/** Undefined where none runs, where it is older or does not watch this very folder, and where it is not sure. */
export async function askTouched(folders: Folders, root: string): Promise<(Touched & { walk: string }) | undefined> {
  try {
    const agent = agentSeen(folders)
    if (!agent) return undefined
    const { walk, touched } = await agent.agentFiles.touched({ path: root }, { signal: AbortSignal.timeout(answerMs) })
    return walk === null ? undefined : { walk, touched }
  } catch {
    // Whatever is wrong with it: who asked looks for themself.
    return undefined
  }
}
