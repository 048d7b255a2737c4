/** The person behind an assistant, asked by its client whether a plan is carried out, where the client can ask. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Fields, Tool } from '../tools/tool.ts'

const question = 'confirm'
const longest = 1500
const mostRows = 5

export interface Person {
  canBeAsked: boolean
  /** Undefined: they were not asked yet. */
  agrees: boolean | undefined
  /** Of the plan that they were asked about, as it came back: by its signature it is known again. */
  token: string | undefined
}

export function personBehind(server: Server, { mcpReq }: ServerContext): Person {
  const sent = (mcpReq.envelope as Fields | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  const capabilities = sent ?? server.getClientCapabilities()
  const elicitation = capabilities?.elicitation
  const answer = inputResponse(mcpReq.inputResponses, question)
  const token = mcpReq.requestState<unknown>()
  return {
    // Without any kind named, it is forms (protocol, "Elicitation").
    canBeAsked: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    agrees: answer.kind === 'elicit' ? answer.action === 'accept' && answer.content?.carry_out !== false : undefined,
    token: typeof token === 'string' ? token : undefined,
  }
}

/** The client asks, and sends the call again with the answer and the token. */
export const askPerson = (tool: Tool, plan: Fields, token: string): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [question]: inputRequired.elicit({
        message: [`${tool.title}?`, ...planWords(plan)].join('\n').slice(0, longest),
        requestedSchema: {
          type: 'object',
          properties: { carry_out: { type: 'boolean', title: 'Carry it out', default: true } },
        },
      }),
    },
    requestState: token,
  })

function planWords({ does: _, ...plan }: Fields): string[] {
  return Object.entries(plan).flatMap(([name, value]) =>
    value === null ? [] : `${name.replaceAll('_', ' ')}: ${wordsOf(value)}`,
  )
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  const more = value.length > mostRows ? ` and ${value.length - mostRows} more` : ''
  return value.length === 0 ? 'none' : `${value.slice(0, mostRows).map(wordsOf).join(', ')}${more}`
}
