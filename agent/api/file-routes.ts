/** Files of watched projects. */
import { ApiError } from '../../contract/errors.ts'
import type { AgentHandlers } from './handler.ts'

const notThere = (): ApiError => new ApiError('UNAVAILABLE', 'This agent watches no files.')

export const agentFiles: AgentHandlers<'agentFiles'> = {
  list() {
    throw notThere()
  },
  why() {
    throw notThere()
  },
  checkOut() {
    throw notThere()
  },
  checkIn() {
    throw notThere()
  },
}
