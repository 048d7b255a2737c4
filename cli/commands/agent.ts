/** `ph agent`: the desktop agent: runs it, says how it is, and tells it which projects to look after. */
import { conflictCommands } from './agent/conflicts.ts'
import { logCommands } from './agent/logs.ts'
import { pluginCommands } from './agent/plugin.ts'
import { projectCommands } from './agent/projects.ts'
import { runningCommands } from './agent/running.ts'
import { senderCommands } from './agent/senders.ts'
import { serviceCommands } from './agent/service.ts'
import { statusCommands } from './agent/status.ts'

export const commands = [
  ...runningCommands,
  ...statusCommands,
  ...projectCommands,
  ...pluginCommands,
  ...conflictCommands,
  ...senderCommands,
  ...logCommands,
  ...serviceCommands,
]
