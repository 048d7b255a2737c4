/** The editor of the one who sits at the terminal: the one set for `ph`, VISUAL, EDITOR, or what every system has. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Context } from '../context.ts'
import { failed } from '../refusal.ts'

/** Everything from here on is for the writer alone. */
const cutLine = '# -------- All from this line on is cut off. --------'

export interface Draft {
  /** What stands there to begin with. */
  text: string
  /** Lines below the cut. */
  about: readonly string[]
}

/** What was written, and the file that holds it until `removeDraft`. */
export interface Written {
  text: string
  file: string
}

/** Resolves once the editor has ended. Throws Refusal `EDITOR_FAILED`. */
export async function writeInEditor(context: Context, { text, about }: Draft): Promise<Written> {
  const folder = await mkdtemp(join(tmpdir(), 'ph-comment-'))
  const file = join(folder, 'comment.txt')
  const hints = about.map((line) => `# ${line}`.trimEnd())
  await writeFile(file, `${[text, '', cutLine, ...hints].join('\n')}\n`)
  try {
    await edit(context, file)
    return { file, text: written(await readFile(file, 'utf8'), hints) }
  } catch (error) {
    await removeDraft({ file })
    throw error
  }
}

export const removeDraft = ({ file }: Pick<Written, 'file'>): Promise<void> => rm(dirname(file), { recursive: true, force: true })

/** Without what stands below the cut; where that line was lost, without the hints. */
function written(whole: string, hints: readonly string[]): string {
  const lines = whole.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  const cut = lines.findIndex((line) => line.trim() === cutLine)
  const own = cut === -1 ? lines.filter((line) => !hints.includes(line.trimEnd())) : lines.slice(0, cut)
  return own
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
}

export function editorOf({ env }: Pick<Context, 'env'>, platform: NodeJS.Platform = process.platform): string {
  const own = [env.PH_EDITOR, env.VISUAL, env.EDITOR].find((one) => one !== undefined && one.trim() !== '')
  return own ?? (platform === 'win32' ? 'notepad' : 'vi')
}

/** As git starts it: the setting may hold arguments, as `code --wait` does. */
async function edit(context: Context, file: string): Promise<void> {
  const { env, out } = context
  const editor = editorOf(context)
  const [command, args] =
    process.platform === 'win32' ? [`${editor} "${file}"`, []] : ['sh', ['-c', `${editor} "$@"`, editor, file]]
  // Where stdout goes to a file or a pipe, the editor draws beside it.
  const child = spawn(command, args, {
    stdio: ['inherit', out.terminal ? 'inherit' : 2, 'inherit'],
    env: env as NodeJS.ProcessEnv,
    shell: process.platform === 'win32',
  })
  const [code] = await once(child, 'exit').catch((error: Error) => [error.message])
  if (code !== 0)
    throw failed(
      'EDITOR_FAILED',
      `The editor \`${editor}\` ended with ${code ?? 'a signal'}. Nothing was sent.`,
      'Set an editor that waits until you close the text, such as `ph config set editor "code --wait"`, or give the text on the command line.',
    )
}
