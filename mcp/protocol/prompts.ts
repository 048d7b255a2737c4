/** Prompts: what a person often asks an assistant for, with the prop that it is about at hand. */
import type { GetPromptResult, PromptMessage } from '@modelcontextprotocol/server'
import { fenced, joined, own, repeated, type Said, word } from '../tools/said.ts'
import type { Reached } from './assistant.ts'
import { wrongArgument } from './failures.ts'
import { thumbnailAddress } from './pictures.ts'
import { entryIdOf } from './references.ts'
import { readResource } from './resources.ts'
import { textBlock } from './text-block.ts'

type Arguments = Record<string, string>

interface Prompt {
  title: string
  description: string
  arguments: readonly { name: string; description: string; required?: boolean }[]
  messages(reached: Reached, given: Arguments): Promise<PromptMessage[]>
}

const longest = 2000

export const prompts: Record<string, Prompt> = {
  find_prop: {
    title: 'Find a prop for a scene',
    description: 'Search the library for props that fit into a scene, and compare the best by their pictures.',
    arguments: [
      { name: 'scene', description: 'What the scene is, and what is missing in it', required: true },
      { name: 'category', description: 'Only props of this category' },
    ],
    messages: async (_, { scene = '', category }) => [
      said(
        own`Find props in the library that fit into the scene that the data below tells of.`,
        ...(category ? [own`Search only in the category that stands there.`] : []),
        own`Search with several words for the same thing, and with \`similar_to\` once one fits. Look at the best with \`picture: true\`, and say what each needs (\`needs\`) and how it was reviewed.`,
        own`Name at most five, the best first, each with its id and why it fits. Change nothing.`,
        fenced({ scene, ...(category ? { category } : {}) }),
      ),
    ],
  },
  review_version: {
    title: 'Review a version',
    description: 'Look at a version of a prop, at what it changed and at what depends on it, and suggest an answer.',
    arguments: [
      { name: 'prop', description: 'Its id, name or /Game path', required: true },
      { name: 'version', description: 'Such as 3; else the current one' },
    ],
    async messages(reached, { prop = '', version = '' }) {
      const number = versionNumber(version)
      const id = await entryIdOf(reached.ask, prop)
      return [
        said(
          own`Review ${number ? own`version ${number}` : own`the current version`} of the prop with entry_id ${id}.`,
          own`List its \`versions\`, and compare it with the one before (\`compare_versions\`). Look at the picture, at the comments, and at what depends on it (\`dependents\`).`,
          own`Then suggest: approve, or request changes, with a note of what has to change. Answer a round (\`review\`), or comment, only after I agree.`,
        ),
        ...(await shown(reached, id)),
      ]
    },
  },
  prepare_check_in: {
    title: 'Prepare a check-in',
    description: 'Look at what changed in a prop that is checked out, and prepare the note and the check-in.',
    arguments: [{ name: 'prop', description: 'Its id, name or /Game path', required: true }],
    async messages(reached, { prop = '' }) {
      const id = await entryIdOf(reached.ask, prop)
      return [
        said(
          own`Prepare the check-in of the prop with entry_id ${id}, which I have checked out.`,
          own`Say whether anyone pushed a version meanwhile (\`versions\`), what depends on it (\`dependents\`), and who should review it.`,
          own`Write a note of one or two sentences about what is new; ask me where you do not know it.`,
          own`Where there is a tool \`check_in_files\`, call it for a plan and show me that; else tell me the \`ph checkin\` command to run. Carry nothing out before I agree.`,
        ),
        ...(await shown(reached, id)),
      ]
    },
  },
}

export const promptList = Object.entries(prompts).map(([name, { title, description, arguments: takes }]) => ({
  name,
  title,
  description,
  arguments: [...takes],
}))

/** Throws ProtocolError for a prompt that is not there, and for arguments that do not fit. */
export async function getPrompt(reached: Reached, name: string, given: Arguments): Promise<GetPromptResult> {
  const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined
  if (!prompt) throw wrongArgument(own`There is no prompt ${repeated(name)}. List the prompts.`)
  for (const { name: argument, required } of prompt.arguments) {
    if (required && !given[argument]?.trim())
      throw wrongArgument(own`The prompt ${word(name)} needs the argument ${word(argument)}.`)
    if ((given[argument]?.length ?? 0) > longest)
      throw wrongArgument(own`The argument ${word(argument)} has more than ${longest} characters.`)
  }
  return { description: prompt.description, messages: await prompt.messages(reached, given) }
}

const said = (...lines: Said[]): PromptMessage => ({ role: 'user', content: textBlock(joined(lines, '\n')) })

/** Undefined: the current one. */
function versionNumber(version: string): number | undefined {
  if (version.trim() === '') return undefined
  const [, digits] = /^v?(\d{1,9})$/.exec(version.trim()) ?? []
  if (digits === undefined) throw wrongArgument(own`The argument version is a number, such as 3.`)
  return Number(digits)
}

/** The entry as its resource shows it, fenced, and its picture. */
async function shown(reached: Reached, id: number): Promise<PromptMessage[]> {
  const [contents] = (await readResource(reached, `ph://entry/${id}`)).contents
  const picture = (await reached.thumbnails([id])).get(id)
  const png = picture && 'png' in picture ? picture.png : undefined
  const image = { type: 'image', data: png?.toString('base64') ?? '', mimeType: 'image/png' } as const
  return [
    ...(contents ? [{ role: 'user' as const, content: { type: 'resource' as const, resource: contents } }] : []),
    ...(png ? [{ role: 'user' as const, content: { ...image, _meta: { uri: thumbnailAddress(id) } } }] : []),
  ]
}
