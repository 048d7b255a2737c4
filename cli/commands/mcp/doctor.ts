/** `ph mcp doctor`: which assistants of this machine start `ph mcp`, and whether what they would start answers. */
import { exits } from '../../../contract/errors.ts'
import { type Finding, fault, fine, note } from '../../../system/finding.ts'
import { command } from '../../command.ts'
import { requireConnection } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { findingLines, findingTerms, tally } from '../../terminal/finding-lines.ts'
import { type Assistant, assistantsOf } from './assistants.ts'
import type { StartOrder } from './settings-file.ts'

export const doctorCommand = command({
  usage: 'mcp doctor',
  summary: 'Look whether assistants can use Prop House here',
  description:
    'Reads the settings of the assistants that `ph mcp install` knows, and starts what stands there as they would. Changes nothing. Ends with exit code 1 when one of them cannot work.',
  examples: [['mcp doctor', 'look at all of them']],
  terms: findingTerms,
  async run(context) {
    const assistants = assistantsOf(context.env)
    const findings = [await checkSignIn(context), ...(await Promise.all(assistants.map((one) => checkAssistant(one, context))))]
    const { problems, warnings } = tally(findings)
    context.out.result({ findings, problems, warnings }, () => findingLines(findings, context.out))
    return problems > 0 ? exits.failed : exits.done
  },
})

async function checkSignIn(context: Context): Promise<Finding> {
  try {
    const { url, profileName, keySource } = await requireConnection(context)
    if (keySource !== 'environment') return fine('sign-in', `${profileName ?? 'you'} at ${url}.`)
    return note('sign-in', 'PH_API_KEY has the key; assistants are not given it.', 'Sign in with `ph login`.')
  } catch (error) {
    return fault('sign-in', error instanceof Error ? error.message : String(error), 'Sign in with `ph login`.')
  }
}

async function checkAssistant(assistant: Assistant, context: Context): Promise<Finding> {
  const { name, title } = assistant
  const install = `ph mcp install ${name}`
  try {
    const { readSettings } = await import('./settings-file.ts')
    const { path, text, known } = await readSettings(assistant)
    if (text === undefined) return note(name, `${title} has no settings here (${path}).`)
    if (known === undefined) return note(name, `${title} does not start Prop House (${path}).`, `Add it with \`${install}\`.`)
    if (!isOrder(known)) return note(name, `${title} reaches Prop House in another way than by a program (${path}).`)
    const { tryStart } = await import('./trial.ts')
    const { tools, seconds } = await tryStart(known, context)
    return fine(name, `${title} starts it: ${tools} tools after ${seconds.toFixed(1)} s.`)
  } catch (error) {
    context.signal.throwIfAborted()
    const said = error instanceof Error ? error.message : String(error)
    const next = error instanceof Refusal && error.next ? error.next : `Write it anew with \`${install}\`.`
    return fault(name, said, next)
  }
}

const isOrder = (known: unknown): known is StartOrder =>
  typeof known === 'object' &&
  known !== null &&
  typeof (known as StartOrder).command === 'string' &&
  Array.isArray((known as StartOrder).args ?? [])
