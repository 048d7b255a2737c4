/** The rules of a new password, and typing it twice where nobody sees it. */
import { Type } from 'typebox'
import { Password } from '../../../contract/shapes.ts'
import { formCheck } from '../form-check.ts'
import type { Problem } from '../views/parts/fields.tsx'
import type { Visit } from '../visit.ts'

const problemsOf = formCheck(Type.Object({ new_password: Password }), {
  new_password: 'Choose a password of 8 to 200 characters.',
})

export function newPasswordProblems(visit: Visit): Problem[] {
  const password = visit.secret('new_password')
  const problems = problemsOf({ new_password: password })
  if (problems.length > 0 || visit.secret('repeated') === password) return problems
  return [{ field: 'repeated', message: 'The passwords differ. Type both again.' }]
}
