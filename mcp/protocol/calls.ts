/** A call of a tool: its arguments are checked, what writes is planned first, and the answer comes within bounds. */
import { type ContentBlock, ProtocolError } from '@modelcontextprotocol/server'
import { objectReader } from '../../serving/validation.ts'
import { answerChars, type Bounded, bounded } from '../tools/bounded.ts'
import { issuePlanToken, type Planned, planWasSpent, requirePlanToken } from '../tools/plan-token.ts'
import { fenced, own, repeated, type Said } from '../tools/said.ts'
import { type Fields, isWriting, type Tool } from '../tools/tool.ts'
import type { Assistant, Reached } from './assistant.ts'
import { askPerson, type Person } from './confirmation.ts'
import { inputSchemaOf } from './definitions.ts'
import { failureOf, wrongArgument } from './failures.ts'
import { leftOffWords } from './left-off.ts'
import { linksTo, picturesOf } from './pictures.ts'
import { questionOf } from './question.ts'
import { textBlock } from './text-block.ts'

type Serving = Assistant & Reached & { behind: Person; spent: (words: Said) => void }

/** For where the call fails from then on. What is refused by the library is told by its code; a new plan shows how things stand by now. */
const planIsSpent = own`The plan was used by this call, which failed. To try again, call the tool without plan_token for a new plan.`

interface Call {
  name: string
  arguments?: Fields | undefined
}

/** Throws ProtocolError where there is no such tool; all else that fails is told in the answer. */
export async function callTool(assistant: Assistant, { name, arguments: given = {} }: Call, person: Person) {
  const reached = assistant.library()
  let planWords: Said | undefined
  const spent = (words: Said) => (planWords = words)
  try {
    await assistant.beforeCall?.()
    const tool = (await assistant.tools()).find((one) => one.name === name)
    if (!tool) throw wrongArgument(unknownTool(name))
    return await carryOut({ ...assistant, ...reached, behind: person, spent }, tool, given)
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    return failureOf(reached, error, planWords)
  }
}

const unknownTool = (name: string): Said =>
  own`There is no tool ${repeated(name)} here. List the tools; a key may not see all, and others come with their toolset.`

const readers = new WeakMap<Tool, ReturnType<typeof objectReader>>()

/** The arguments as the tool takes them. Throws VALIDATION. */
function inputOf(tool: Tool, given: Fields): Fields {
  const reader = readers.get(tool) ?? objectReader(inputSchemaOf(tool))
  readers.set(tool, reader)
  return reader(given)
}

async function carryOut(serving: Serving, tool: Tool, given: Fields) {
  if (isWriting(tool)) return write(serving, tool, given)
  const { picture, ...input } = inputOf(tool, given)
  const found = await bounded((asked) => tool.run(serving.ask, asked), input)
  if (!tool.pictured) return answerOf(serving, found)
  return answerOf(serving, found, picture ? await picturesOf(found.answer, serving.thumbnails) : linksTo(found.answer))
}

/** With a token of a plan, or when the person agreed to it, it is carried out; else there is a plan, which they are asked about where that can be. */
async function write(serving: Serving, tool: Tool, given: Fields) {
  const { person, plans, behind } = serving
  const { plan_token, ...rest } = given
  const planned: Planned = { secret: plans.secret, person, tool: tool.name, input: inputOf(tool, rest) }
  if (tool.onlyLooks?.(planned.input as Fields)) return answerOf(serving, await lookAt(serving, tool, planned.input as Fields))
  if (plan_token !== undefined) return answerOf(serving, await apply(serving, tool, { planned, token: String(plan_token) }))
  if (behind.agrees === false) return answerOf(serving, { answer: { declined: true }, leftOff: {} })
  if (behind.agrees && behind.token !== undefined)
    return answerOf(serving, await apply(serving, tool, { planned, token: behind.token }))
  const plan = (await tool.plan?.(serving.ask, planned.input as Fields)) ?? (planned.input as Fields)
  const { token, expiresAt } = issuePlanToken(planned, serving.now())
  // The person sees what would be written: texts as they are, and not as an answer shows them.
  if (behind.canBeAsked) return askPerson(questionOf(tool.title, plan), token)
  const { answer, leftOff } = await bounded(async () => plan, {}, answerChars - besidePlan)
  return answerOf(serving, {
    answer: { plan: { does: tool.description, ...answer }, plan_token: token, expires_at: expiresAt },
    leftOff,
  })
}

async function apply({ ask, plans, now, spent }: Serving, tool: Tool, { planned, token }: { planned: Planned; token: string }) {
  const plan = requirePlanToken(token, planned, now())
  if (!(await plans.spend(plan))) throw planWasSpent()
  spent(planIsSpent)
  return bounded(async () => ({ result: await tool.run(ask, planned.input as Fields) }), {})
}

const lookAt = ({ ask }: Serving, tool: Tool, input: Fields): Promise<Bounded> =>
  bounded(async () => ({ plan: await tool.plan?.(ask, input) }), {})

/** Characters of what a plan comes with: what the tool does, and the token. */
const besidePlan = 4000

function answerOf(reached: Reached, { answer, leftOff }: Bounded, pictures: readonly ContentBlock[] = []) {
  const cut = leftOffWords(leftOff)
  const next = [
    ...('plan_token' in answer
      ? [own`Nothing is changed yet. Call again with the same arguments and this plan_token to do it.`]
      : []),
    ...('declined' in answer ? [own`The person was asked and did not agree. Nothing is changed.`] : []),
  ]
  const said = [...reached.notices(), ...cut, ...next, fenced(answer)]
  return {
    content: [...said.map(textBlock), ...pictures],
    structuredContent: answer,
    _meta: { ...reached.meta(), ...(cut.length > 0 ? { 'prop-house/left-off': leftOff } : {}) },
  }
}
