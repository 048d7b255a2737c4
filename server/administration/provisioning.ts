/** Provisioning by an operator: the file's content is checked where it is applied, who checked it before. */
import { type Failure, validationError } from '../../contract/errors.ts'
import type { Operator } from '../../contract/operator.ts'
import type { InputOf, OutputOf } from '../../contract/route.ts'
import type { Handlers } from '../handler.ts'
import { faultInPieces, faultOf, type ProvisionFile } from '../provision/file.ts'
import { foresee, foreseeFromNothing, type Provisioned, provision } from '../provision/provision.ts'

type Apply = Operator['provisioning']['apply']

export const provisioning: Handlers<Operator['provisioning']> = {
  async apply({ database, now, audit, input: { file, check } }) {
    const content = unless(await faultInPieces(file), file)
    const outcome = await (check ? foresee(database.sql, content, now) : provision(database, content, now))
    const count = (does: string) => outcome.changes.filter((change) => change.does === does).length
    const slugs = content.workspaces.map(({ slug }) => slug).join(' ')
    audit('provision', { check, workspaces: slugs.slice(0, 400), created: count('created'), changed: count('changed') })
    return answerOf(outcome, check)
  },
}

/** What a file would do where there is no database yet. */
export const imagineProvision = ({ file }: InputOf<Apply>): OutputOf<Apply> =>
  answerOf(foreseeFromNothing(unless(faultOf(file), file)), true)

function unless(fault: Failure | undefined, file: object): ProvisionFile {
  if (fault) throw validationError([fault])
  return file as ProvisionFile
}

const answerOf = ({ changes, warnings }: Provisioned, checkedOnly: boolean): OutputOf<Apply> => ({
  changes: changes.map(({ fields, ...change }) => ({ ...change, fields: [...fields] })),
  warnings: [...warnings],
  checked_only: checkedOnly,
})
