/** `ph mcp`: the library for an AI assistant on this machine, which starts this program and talks to it on stdin and stdout. */
import { readVersion } from '../../client/version.ts'
import { command, flag, text } from '../command.ts'
import { requireWire, type Signed } from '../connection.ts'
import { wrongUsage } from '../refusal.ts'

export const commands = [
  command({
    usage: 'mcp',
    description:
      'An assistant starts this program and talks to it in the Model Context Protocol (MCP). It sees fifteen tools at first: search, look, compare versions, pull, check out, comment, review and more. A tool that changes something answers with a plan, which you confirm. While the server is away, looking goes on from the mirror (`ph mirror`). What it says to you goes to stderr. How to add it to an assistant: docs/assistants.md.',
    options: {
      toolsets: text(
        '--toolsets <names>',
        'sets of tools, separated by commas: default, catalog, curation, pulls, check_out, reviews, discussion, push, admin, all',
      ),
      tools: text('--tools <names>', 'single tools, beside those of --toolsets'),
      excludeTools: text('--exclude-tools <names>', 'tools to leave out'),
      readOnly: flag('--read-only', 'only tools that change nothing, whatever else is chosen'),
    },
    examples: [
      ['mcp', 'what an assistant starts'],
      ['mcp --read-only', 'for an assistant that is only to look'],
      ['mcp --toolsets default,curation', 'with tags, collections, packs and variants too'],
    ],
    async run(context, { toolsets, tools, excludeTools, readOnly }) {
      const wire = await requireWire(context)
      const { serveAssistant, namesIn, unknownIn } = await import('../../mcp/main.ts')
      const selection = {
        toolsets: namesIn(toolsets),
        tools: namesIn(tools),
        exclude: namesIn(excludeTools),
        readOnly,
      }
      const unknown = unknownIn(selection)
      if (unknown.length > 0)
        throw wrongUsage(`There is no toolset or tool ${unknown.join(', ')}.`, 'See the toolsets with `ph help mcp`.')
      const { stdin, stdout, stderr, signal, now } = context
      const tell = (line: string) => void stderr.write(`${line}\n`)
      await serveAssistant({
        wire: wire as typeof wire & Pick<Signed, 'key'>,
        selection,
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
]
