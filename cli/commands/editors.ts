/** `ph editors`: the editors that one has open, and what their plugins last said of themselves. */
import type { EditorSession } from '../../contract/editor-sessions.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { withLibrary } from '../library.ts'
import { age } from '../terminal/amounts.ts'
import { table } from '../terminal/table.ts'

export const commands = [
  command({
    usage: 'editors',
    description:
      'Your own editors of the last 24 hours, the one that was seen last first. Only those show whose plugin speaks to the library. `ph send --to-agent` reaches the ones that are online and take imports.',
    examples: [
      ['editors', 'which are online, and what they are busy with'],
      ['editors --json | jq -r ".sessions[] | select(.online) | .project_key"', 'projects that are open now'],
    ],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const { sessions } = await api.editorSessions.list()
        context.out.result({ sessions }, () =>
          sessions.length > 0 ? rows(sessions, context) : 'No editor of yours was seen in the last 24 hours.',
        )
      })
      return undefined
    },
  }),
]

const rows = (sessions: readonly EditorSession[], { out, now }: Context): string[] =>
  table(
    sessions,
    [
      { title: 'PROJECT', value: ({ project_key }) => project_key, cut: 'middle' },
      { title: 'ENGINE', value: ({ engine_version }) => engine_version, spare: 'late' },
      { title: 'MACHINE', value: ({ machine }) => machine, cut: 'end', spare: true },
      { title: 'SEEN', value: ({ online, last_seen_at }) => (online ? 'online' : age(last_seen_at, now())) },
      { title: 'IMPORTS', value: ({ accepts_agent_imports }) => (accepts_agent_imports ? 'takes them' : 'no') },
      { title: 'BUSY WITH', value: ({ busy_job_id }) => busy_job_id && `job ${busy_job_id}` },
      { title: 'LAST ERROR', value: ({ last_error }) => last_error, cut: 'end' },
    ],
    out,
  )
