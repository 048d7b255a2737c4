/** `ph mcp`: the library for an AI assistant on this machine, which starts this program and talks to it on stdin and stdout; how to add it there. */

import { resolve } from 'node:path'
import { readVersion } from '../../client/version.ts'
import { command } from '../command.ts'
import { requireWire, type Signed } from '../connection.ts'
import { requireCacheSize } from '../pull-orders/cache-room.ts'
import { shown } from '../terminal/output.ts'
import { doctorCommand } from './mcp/doctor.ts'
import { installCommands } from './mcp/install.ts'
import { projectOption, selectionOf, selectionOptions } from './mcp/selection.ts'

export const commands = [
  command({
    usage: 'mcp',
    description:
      'An assistant starts this program and talks to it in the Model Context Protocol (MCP). It sees fifteen tools at first: search, look, compare versions, pull, check out, comment, review and more. A tool that changes something answers with a plan, which you confirm. In projects that you linked (`ph agent link`) or name with --project it works with files, too. While the server is away, looking goes on from the mirror (`ph mirror`). What it says to you goes to stderr. `ph mcp install` adds it to an assistant.',
    options: {
      ...selectionOptions,
      project: projectOption,
    },
    examples: [
      ['mcp', 'what an assistant starts'],
      ['mcp --read-only', 'for an assistant that is only to look'],
      ['mcp --project ~/Unreal/Tavern', 'it may pull into this project, push from it, check its props out and in'],
      ['mcp --toolsets default,curation', 'with tags, collections, packs and variants too'],
    ],
    async run(context, given) {
      const wire = await requireWire(context)
      const selection = await selectionOf(given)
      const { serveAssistant } = await import('../../mcp/main.ts')
      const { stdin, stdout, stderr, signal, now } = context
      const tell = (line: string) => void stderr.write(shown(`${line}\n`))
      await serveAssistant({
        wire: wire as typeof wire & Pick<Signed, 'key'>,
        selection,
        projects: given.project.map((path) => resolve(context.cwd, path)),
        cacheBytes: requireCacheSize(context),
        version: readVersion(),
        stdin,
        stdout,
        now,
        signal,
        tell,
      })
      return undefined
    },
  }),
  ...installCommands,
  doctorCommand,
]
