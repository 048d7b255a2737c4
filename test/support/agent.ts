/** A desktop agent in this process, on folders of its own, with the way to ask it. */
import { type RunningAgent, startAgent } from '../../agent/main.ts'
import type { Patience } from '../../agent/running/supervisor.ts'
import { type FoundAgent, requireAgent } from '../../client/desktop/agent.ts'
import { agentFolder, type Folders } from '../../client/folders.ts'
import { pause } from '../../client/http/pause.ts'
import { afterFile } from './after-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Failures are tried again soon. */
export const quick: Patience = { firstMs: 50, mostMs: 400, steadyMs: 60_000, pauseLookMs: 100 }

export interface TestAgent extends FoundAgent {
  running: RunningAgent
  folders: Folders
  /** The agent's own folder. */
  dir: string
  logLines: string[]
}

export interface AgentSetting {
  url: string
  key: string
  /** Those of an agent that was here before. */
  folders?: Folders
}

/** Ended after the test file, if nothing ended it before. */
export async function startTestAgent({ url, key, folders = newFolders() }: AgentSetting): Promise<TestAgent> {
  const logLines: string[] = []
  const running = await startAgent({
    wire: { url, key, folders, clientName: 'ph/test', pause },
    tell: (line) => logLines.push(line),
    version: '0.0.0-test',
    patience: quick,
    previews: false,
  })
  afterFile(() => running.stop())
  return { running, folders, dir: agentFolder(folders), logLines, ...(await requireAgent(folders)) }
}

export const newFolders = (): Folders => ({ config: temporaryFolder(), state: temporaryFolder(), cache: temporaryFolder() })

/** The folder of a project that is nothing but its descriptor. */
export const projectFolder = (name: string, engine = '5.4'): string =>
  temporaryFolder({
    [`${name}.uproject`]: JSON.stringify({ FileVersion: 3, EngineAssociation: engine }),
    'Content/readme.txt': '',
  })
