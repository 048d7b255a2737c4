/** The desktop agent of this machine, asked: `agent.api.agentProjects.link({path, accepts_imports: true})`. Loads no schema. */
import type { Address } from '../../contract/address.ts'
import type { AgentContract } from '../../contract/agent.ts'
import { agentAddresses } from '../../contract/agent-addresses.ts'
import { ApiError } from '../../contract/errors.ts'
import { readEvents } from '../../contract/event-stream.ts'
import { requestParts } from '../../contract/request-parts.ts'
import type { InputOf, OutputOf, Route } from '../../contract/route.ts'
import { askLocal, followLocal, greet, type LocalQuestion } from '../../serving/local-client.ts'
import { type FoundNote, readNote } from '../../serving/local-note.ts'
import { isFolderLocked } from '../../system/lock.ts'
import { ClientError, type ClientErrorCode, clientErrors } from '../client-error.ts'
import { agentFolder, type Folders } from '../folders.ts'

/** `signal` ends what is asked, and what is followed. */
interface CallOptions {
  signal?: AbortSignal
}

type Answer<R extends Route> = R extends { answers: 'events' } ? OutputOf<R> : Promise<OutputOf<R>>
type Call<R extends Route> =
  Record<never, never> extends InputOf<R>
    ? (input?: InputOf<R>, options?: CallOptions) => Answer<R>
    : (input: InputOf<R>, options?: CallOptions) => Answer<R>

/** One function per route of contract/agent.ts. Throws the ApiError that the agent answers, or UNAVAILABLE when it breaks off. */
export type AgentApi = {
  [N in keyof AgentContract]: {
    [V in keyof AgentContract[N]]: AgentContract[N][V] extends infer R extends Route ? Call<R> : never
  }
}

/** What a running agent says of itself. */
export interface AgentPresence {
  pid: number
  host: string
  url: string
  started_at: string
  /** Address of the workspace that it works with. */
  server: string
  version: string
}

export interface FoundAgent {
  presence: AgentPresence
  api: AgentApi
}

const program = 'agent'
/** A check-in pushes files. */
const answerMs = 10 * 60_000

/** Undefined where none runs with these folders. Throws FORBIDDEN where the folder is another person's. */
export async function findAgent(folders: Folders): Promise<FoundAgent | undefined> {
  const found = readNote(agentFolder(folders))
  const presence = found && ((await greet(found, program)) as AgentPresence | undefined)
  return found && presence ? { presence, api: agentApi(found) } : undefined
}

/** Throws ClientError `NO_AGENT`. */
export async function requireAgent(folders: Folders): Promise<FoundAgent> {
  const found = await findAgent(folders)
  if (found) return found
  throw isAgentSilent(folders)
    ? new ClientError('NO_AGENT', 'The desktop agent runs, but does not answer.', { next: silentNext })
    : new ClientError('NO_AGENT', 'The desktop agent does not run.')
}

/** Of one that was not found: whether a process has its folder all the same. */
export const isAgentSilent = (folders: Folders): boolean => isFolderLocked(agentFolder(folders))

export const silentNext =
  'It may be starting, or this machine may be very busy: try again in a moment. If it stays so, end its process, then `ph agent start`.'

/** The same without a greeting: the agent that is there answers what is asked, or nobody does. */
export function agentSeen(folders: Folders): AgentApi | undefined {
  const found = readNote(agentFolder(folders))
  return found && agentApi(found)
}

function agentApi(found: FoundNote): AgentApi {
  const nouns: Record<string, Record<string, unknown>> = {}
  for (const [noun, table] of Object.entries<Record<string, Address>>(agentAddresses))
    nouns[noun] = Object.fromEntries(
      Object.entries(table).map(([verb, address]) => [
        verb,
        (input: Record<string, unknown> = {}, options: CallOptions = {}) => call(found, address, { input, ...options }),
      ]),
    )
  return nouns as unknown as AgentApi
}

function call(
  found: FoundNote,
  address: Address,
  { input, signal }: { input: Record<string, unknown> } & CallOptions,
): Promise<unknown> | AsyncIterable<unknown> {
  const { path, query, json } = requestParts(address, input)
  const question = { method: address.method, path: query.size > 0 ? `${path}?${query}` : path, json, program }
  if (address.answers === 'events') return eventsOf(found, { ...question, signal: signal ?? new AbortController().signal })
  const late = AbortSignal.timeout(answerMs)
  return askLocal(found, { ...question, signal: signal ? AbortSignal.any([signal, late]) : late }).catch(rethrown)
}

/** What the agent's own client says is said here as it was there. */
function rethrown(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const { reason, next, ...details } = error.details
  if (typeof reason !== 'string' || !(reason in clientErrors)) throw error
  throw new ClientError(reason as ClientErrorCode, error.message, { details, ...(typeof next === 'string' ? { next } : {}) })
}

async function* eventsOf(found: FoundNote, question: LocalQuestion): AsyncGenerator<unknown> {
  for await (const event of readEvents(followLocal(found, question))) if (event) yield event
}
