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
import type { Fields } from '../tools/tool.ts'

const confirm = 'confirm'

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
  const answer = inputResponse(mcpReq.inputResponses, confirm)
  const token = mcpReq.requestState<unknown>()
  return {
    // Without any kind named, it is forms (protocol, "Elicitation").
    canBeAsked: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    agrees: answer.kind === 'elicit' ? answer.action === 'accept' && answer.content?.carry_out !== false : undefined,
    token: typeof token === 'string' ? token : undefined,
  }
}

/** The client asks, and sends the call again with the answer and the token. */
export const askPerson = (question: string, token: string): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [confirm]: inputRequired.elicit({
        message: question,
        requestedSchema: {
          type: 'object',
          properties: { carry_out: { type: 'boolean', title: 'Carry it out', default: true } },
        },
      }),
    },
    requestState: token,
  })
