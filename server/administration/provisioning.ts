/** Provisioning as an act: the file's content is checked where it is applied, who checked it before. */
import { validationError } from '../../contract/errors.ts'
import { faultOf, type ProvisionFile } from '../provision/file.ts'
import { foresee, foreseeFromNothing, type Provisioned, provision } from '../provision/provision.ts'
import type { Answers, InputOf } from './acts.ts'
import type { Doing } from './desk.ts'

export const provisionHere: Doing<'provision'> = async ({ database, clock }, { file, check }) => {
  const content = checked(file)
  const { changes, warnings } = await (check ? foresee(database.sql, content) : provision(database, content, clock.now()))
  const count = (does: string) => changes.filter((change) => change.does === does).length
  return {
    answer: answerOf({ changes, warnings }, check),
    on: {
      check,
      workspaces: content.workspaces
        .map(({ slug }) => slug)
        .join(' ')
        .slice(0, 400),
      created: count('created'),
      changed: count('changed'),
    },
  }
}

/** What a file would do where there is no database yet. */
export const imagineProvision = ({ file }: InputOf<'provision'>): Answers['provision'] =>
  answerOf(foreseeFromNothing(checked(file)), true)

function checked(file: object): ProvisionFile {
  const fault = faultOf(file)
  if (fault) throw validationError([fault])
  return file as ProvisionFile
}

const answerOf = ({ changes, warnings }: Provisioned, checkedOnly: boolean): Answers['provision'] => ({
  changes,
  warnings,
  checked_only: checkedOnly,
})
