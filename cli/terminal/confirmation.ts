/** Asking before harm: what would be done is shown first, and done after a yes. */
import { exits } from '../../contract/errors.ts'
import { flag } from '../command.ts'
import type { Context } from '../context.ts'
import { declined, Refusal } from '../refusal.ts'
import { onOneLine, shown } from './output.ts'
import { askYesOrNo } from './yes-or-no.ts'

/** The option of every command that asks. */
export const yesOption = flag('--yes', 'do it without asking, as scripts must')

export interface Harm {
  /** `--yes` was given. */
  yes: boolean
  /** What would be done: a sentence, or lines that are laid out already. */
  plan: string | readonly string[]
  /** The same for programs. */
  details: Record<string, unknown>
  question: string
}

/** Returns once it is confirmed. Where nobody can be asked only `--yes` confirms: Refusal `NOT_CONFIRMED`, with the plan. */
export async function confirmHarm(context: Context, { yes, plan, details, question }: Harm): Promise<void> {
  if (yes) return
  const { out, stderr, interactive } = context
  if (typeof plan === 'string') out.note(onOneLine(plan))
  else if (!out.json) stderr.write(shown(plan.map((line) => `${line}\n`).join('')))
  if (!interactive)
    throw new Refusal({
      code: 'NOT_CONFIRMED',
      exit: exits.usage,
      message: 'This needs a yes, and there is no terminal to ask on. Nothing was changed.',
      next: 'Add --yes to do it, or --dry-run to only see it.',
      details,
    })
  if (await askYesOrNo(context, question, false)) return
  throw declined('Nothing was changed.')
}
