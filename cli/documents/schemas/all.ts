/** The shape of the JSON of every command, by its words. Loaded only where shapes are asked for. */
import { agentShapes } from './agent.ts'
import { capabilitiesShapes } from './capabilities.ts'
import { comparisonShapes } from './comparison.ts'
import { curationShapes } from './curation.ts'
import { discussionShapes } from './discussion.ts'
import { adminShapes, eventShapes } from './events.ts'
import { libraryShapes } from './library.ts'
import { machineShapes } from './machine.ts'
import { pullShapes } from './pull.ts'
import { pushShapes } from './push.ts'
import type { Shapes } from './shape.ts'

export const shapes: Shapes = {
  ...libraryShapes,
  ...comparisonShapes,
  ...pushShapes,
  ...pullShapes,
  ...discussionShapes,
  ...curationShapes,
  ...machineShapes,
  ...agentShapes,
  ...capabilitiesShapes,
  ...eventShapes,
  ...adminShapes,
}

/** Commands that print no document, and why. */
export const withoutDocument: Readonly<Record<string, string>> = {
  mcp: 'speaks the protocol of assistants on stdin and stdout',
  'agent run': 'is the agent itself, and tells what it does in its log',
}
