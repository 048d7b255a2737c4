/** Whether a project is known to the library: an order for a misspelled one waits for nobody. */

import type { Api } from '../../client/http/api.ts'
import type { Project } from '../../contract/projects.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import type { Context } from '../context.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { nearNames } from '../entries/near-names.ts'
import { declined, failed } from '../refusal.ts'
import { askYesOrNo } from '../terminal/yes-or-no.ts'

interface ProjectChoice {
  api: Api
  projects: readonly Project[]
  /** Compared exactly, as a claim is (contract-gaps 5a). */
  project: string
  /** One that is not known is meant. */
  create: boolean
  /** Nothing is ordered, so nobody is asked. */
  isPlan: boolean
}

/** Known are also those that editors or agents of this person announced. Asks on a terminal, refuses elsewhere with `PROJECT_NOT_FOUND`; first of all a key that may not send, with `FORBIDDEN`. */
export async function requireKnownProject(
  context: Context,
  { api, projects, project, create, isPlan }: ProjectChoice,
): Promise<void> {
  if (create || projects.some(({ name }) => name === project)) return
  const { sessions } = await api.editorSessions.list()
  const names = [...new Set([...projects.map(({ name }) => name), ...sessions.map(({ project_key }) => project_key)])]
  if (names.includes(project)) return
  if (!isPlan) await requireWriter(api)
  const [nearest, ...others] = nearNames(project, names).map(printable)
  const message = `The library knows no project ${printable(project)}: no one has pulled into it or announced it.`
  const near = nearest ? `Did you mean ${[nearest, ...others].join(' or ')}? ` : ''
  const next = `${near}List them with \`ph project list\`, or send to a new one with --create.`
  if (!context.interactive) throw failed('PROJECT_NOT_FOUND', message, next)
  const similar = nearest ? ` Similar: ${[nearest, ...others].join(', ')}.` : ''
  if (isPlan) return context.out.note(message + similar)
  if (await askYesOrNo(context, `${message}${similar} Send to ${printable(project)} anyway?`, false)) return
  const again = nearest ? `Send again with --project ${shellWord(nearest)}.` : 'List the projects with `ph project list`.'
  throw declined(`Nothing was ordered. ${again}`)
}
