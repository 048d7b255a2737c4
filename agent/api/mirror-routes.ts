/** The mirror, asked by editors and assistants. */
import { ApiError } from '../../contract/errors.ts'
import type { AgentHandlers } from './handler.ts'

const notThere = (): ApiError => new ApiError('UNAVAILABLE', 'This agent keeps no mirror.')

export const agentMirror: AgentHandlers<'agentMirror'> = {
  get: ({ agent }) => agent.mirror.report(),
  rebuild() {
    throw notThere()
  },
  search() {
    throw notThere()
  },
  thumbnail() {
    throw notThere()
  },
}
