/** The handlers of every noun of the contract; a noun or a route without one does not compile. */
import type { Contract, Noun } from '../contract/index.ts'
import type { Handlers } from './handler.ts'
import { identity } from './library/identity.ts'
import { members } from './library/members.ts'

export const handlers: Partial<{ [N in Noun]: Handlers<Contract[N]> }> = { identity, members }
