/** Setting up: the first workspace and its owner, with the code that the server printed. */
import { Type } from 'typebox'
import { Email, Password, plainNamed, WorkspaceSlug } from '../../../contract/shapes.ts'
import { isSetUp, setUp } from '../../accounts/setup.ts'
import { type Answer, show } from '../answer.ts'
import { enterAs } from '../browser-session.ts'
import { formCheck, type Returned, refused, returned } from '../form-check.ts'
import { SetupDonePage, type SetupForm, SetupPage } from '../views/setup.tsx'
import type { Visit } from '../visit.ts'
import { ShortName } from './short-name.ts'

const problemsOf = formCheck(
  Type.Object({
    setup_code: Type.String({ minLength: 1, maxLength: 200 }),
    workspace_name: plainNamed(120),
    slug: WorkspaceSlug,
    display_name: plainNamed(120),
    name: ShortName,
    email: Email,
    password: Password,
  }),
  {
    setup_code: 'Enter the setup code that the server printed.',
    workspace_name: 'Give the workspace a name of up to 120 characters.',
    slug: 'Give the workspace a short name of small letters, digits and dashes.',
    display_name: 'Enter your name, up to 120 characters.',
    name: 'Enter a short name for yourself: one word, up to 80 characters.',
    email: 'Enter an e-mail address, such as ada@studio.test.',
    password: 'Choose a password of 8 to 200 characters.',
  },
)

export const setup = {
  async 'GET /setup'(visit: Visit): Promise<Answer> {
    if (await isSetUp(visit.sql)) return done(visit)
    return form(visit, { ...empty, setup_code: visit.query('code') })
  },

  async 'POST /setup'(visit: Visit): Promise<Answer> {
    const typed = Object.fromEntries(Object.keys(empty).map((name) => [name, visit.field(name)])) as unknown as SetupForm
    const password = visit.secret('password')
    if (await isSetUp(visit.sql)) return done(visit)
    const problems = problemsOf({ ...typed, password })
    if (problems.length > 0) return form(visit, typed, returned(problems))
    try {
      return await make(visit, typed, password)
    } catch (error) {
      return form(visit, typed, refused(error, { UNAUTHORIZED: 'setup_code' }))
    }
  },
}

const empty: SetupForm = { setup_code: '', workspace_name: '', slug: '', display_name: '', name: '', email: '' }

async function make(visit: Visit, typed: SetupForm, password: string): Promise<Answer> {
  const { setup_code, workspace_name, slug, email, name, display_name } = typed
  const workspace = { slug, name: workspace_name }
  const { user } = await setUp(visit.sql, { setup_code, workspace, owner: { email, name, display_name, password } }, visit.now)
  await enterAs(visit, user.id)
  visit.browser.leaveNotice('set-up')
  return { to: visit.frame.at('/') }
}

const form = ({ frame }: Visit, typed: SetupForm, { problems = [], ...more }: Partial<Returned> = {}): Answer =>
  show(SetupPage, { frame, form: typed, problems }, more)

const done = ({ frame }: Visit): Answer => show(SetupDonePage, { frame }, { status: 409 })
