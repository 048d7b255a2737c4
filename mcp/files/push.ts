/** The tool that sends files of a project on this machine, as `ph push` does; and what it shares with checking in. */
import { join } from 'node:path'
import { Type } from 'typebox'
import type { PushReport } from '../../client/push/report.ts'
import { limits } from '../../contract/limits.ts'
import type { Fields } from '../tools/tool.ts'
import { fileTool, ProjectArgument } from './file-tool.ts'
import { type Machine, placeIn, projectOf, requireInside } from './machine.ts'

export const Note = Type.Optional(Type.String({ maxLength: limits.note, description: 'What is new, for people to read' }))
const mostPaths = 1000

export interface Sent {
  root: string
  /** Absolute, in the project. */
  paths: string[]
  note?: string | undefined
  /** Only what lies in Content folders. */
  contentOnly?: boolean
}

export const pushTool = fileTool({
  name: 'push_files',
  title: 'Push files of a project here',
  description:
    'Send new and changed files of a project on this machine to the library, with what they need; without paths, all of its content. The plan says what changed.',
  routes: ['push.negotiate', 'push.commit'],
  input: Type.Object({
    project: ProjectArgument,
    paths: Type.Optional(
      Type.Array(Type.String({ description: 'File or folder, from the folder of the project' }), {
        minItems: 1,
        maxItems: mostPaths,
      }),
    ),
    note: Note,
  }),
  replacesFiles: false,
  plan: async (machine, input) => ({ ...noteIn(input), ...pushed(await planSending(machine, await sentOf(machine, input))) }),
  run: async (machine, input) => pushed(await send(machine, await sentOf(machine, input))),
})

/** What is written belongs to what a person agrees to. */
export const noteIn = ({ note }: { note?: string }) => (note === undefined ? {} : { note })

async function sentOf(machine: Machine, given: { project?: string; paths?: string[]; note?: string }): Promise<Sent> {
  const { root } = await projectOf(machine, given.project)
  const paths = given.paths?.map((path) => placeIn(root, path)) ?? [root]
  return { root, paths, note: given.note, contentOnly: given.paths === undefined }
}

/** Throws ToolRefusal `OUTSIDE_PROJECT` where a link in the project leads to a file out of it that would be sent. */
export async function planSending({ wire }: Pick<Machine, 'wire'>, { root, ...sent }: Sent): Promise<PushReport> {
  const { push } = await import('../../client/push/push.ts')
  const report = await push({ ...wire, ...optionsOf(sent), dryRun: true })
  for (const { file } of report.items) requireInside(root, join(report.root, file))
  return report
}

export async function send(machine: Pick<Machine, 'wire'>, sent: Sent): Promise<PushReport> {
  await planSending(machine, sent)
  const { push } = await import('../../client/push/push.ts')
  return push({ ...machine.wire, ...optionsOf(sent) })
}

const optionsOf = ({ paths, note, contentOnly = false }: Omit<Sent, 'root'>) => ({
  paths,
  contentOnly,
  ...(note === undefined ? {} : { note }),
})

export function pushed({
  root,
  found,
  unchanged,
  items,
  problems,
  summary,
  bytes,
  previews_due,
  answered_before,
}: PushReport): Fields {
  return {
    root,
    found,
    unchanged,
    summary,
    bytes,
    items: items.map(({ file, status, name, entry_id, object_id, reason, lock }) => ({
      ...{ file, status, name, entry_id, object_id },
      ...(reason === undefined ? {} : { reason }),
      ...(lock ? { locked_by: lock.holder.name } : {}),
    })),
    problems: problems.slice(0, 50),
    ...(answered_before ? { answered_before } : {}),
    ...(previews_due ? { next: 'Previews are still to be made: `ph previews work` makes them.' } : {}),
  }
}
