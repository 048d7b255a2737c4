/** Documents of commands about the desktop agent, the mirror, and assistants. */
import { AgentProject, AgentStatus } from '../../../contract/agent.ts'
import { agentFiles } from '../../../contract/agent-files.ts'
import { AgentConflict } from '../../../contract/agent-imports.ts'
import { MirrorReport } from '../../../contract/agent-mirror.ts'
import { AgentSender } from '../../../contract/agent-senders.ts'
import { Finding, Open, type Shapes, shape } from './shape.ts'

const presence = shape('{ pid: integer, version: string, server: string, started_at: string, started: boolean } & Open')
const mirror = shape('MirrorReport & { as_of?: string | null, bytes?: integer }', { MirrorReport })
const assistant = 'client: string, path: string, changed: boolean, dry_run: boolean, copy: string | null'
const plugin = `
  path: string, state: "missing" | "current" | "old" | "newer" | "changed", version: string | null, available: string,
  changed: string[], before?: string | null, done?: boolean, copy?: string | null
`

export const agentShapes: Shapes = {
  'agent status': AgentStatus,
  'agent pause': AgentStatus,
  'agent resume': AgentStatus,
  'agent start': presence,
  'agent restart': presence,
  'agent stop': shape('{ stopped: boolean }'),
  'agent link': AgentProject,
  'agent unlink': shape('{ root: string }'),
  'agent why': agentFiles.why.output,
  'agent conflicts': shape('{ conflicts: AgentConflict[] }', { AgentConflict }),
  'agent answer': shape('{ answered: AgentConflict[], failed: { id: integer, error: { code: string, message: string } }[] }', {
    AgentConflict,
  }),
  'agent senders': shape('{ senders: AgentSender[] }', { AgentSender }),
  'agent allow': AgentSender,
  'agent deny': AgentSender,
  'agent logs': Open,
  'agent plugin': shape(`{ ${plugin} }`),
  'agent install': shape('{ path: string, content?: string, installed?: boolean, commands: string[][] }'),
  'agent uninstall': shape('{ path: string, uninstalled: boolean }'),
  'mirror status': mirror,
  'mirror update': mirror,
  'mirror rebuild': mirror,
  'mcp doctor': shape('{ findings: Finding[], problems: integer, warnings: integer }', { Finding }),
  'mcp install': shape(`{ ${assistant}, server: Open }`),
  'mcp uninstall': shape(`{ ${assistant} }`),
}
