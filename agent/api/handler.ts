/** What a handler of the agent's API is given and what it answers. */
import type { AgentContract } from '../../contract/agent.ts'
import type { InputOf, OutputOf, Route } from '../../contract/route.ts'
import type { Agent } from '../agent.ts'

type AgentHandler<R extends Route> = (
  request: { agent: Agent; input: InputOf<R> } & (R extends { answers: 'events' } ? { signal: AbortSignal } : unknown),
) => Promise<OutputOf<R>> | OutputOf<R>

/** One for each route of a noun; a missing one does not compile. */
export type AgentHandlers<N extends keyof AgentContract> = {
  [V in keyof AgentContract[N]]: AgentContract[N][V] extends infer R extends Route ? AgentHandler<R> : never
}
