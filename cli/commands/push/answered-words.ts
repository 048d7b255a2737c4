/** Files that went by what was answered before about all props of another project: nobody was asked, so it is said, and how to be asked again. */
import { join, relative } from 'node:path'
import { findProjectName } from '../../../client/project/unreal-project.ts'
import type { AnsweredBefore, PushReport } from '../../../client/push/report.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { count } from '../../terminal/amounts.ts'
import { wrap } from '../../terminal/wrap.ts'
import { type HeldLook, namesInWords } from './held-words.ts'

export function answeredWords(
  { answered_before: before = [], root, dry_run }: PushReport,
  { paint, width, cwd }: HeldLook,
): string[] {
  const file = before[0]?.files[0]
  if (file === undefined) return []
  const project = findProjectName(root) ?? 'this folder'
  const again = `ph push ${shellWord(relative(cwd, join(root, file)))} --held ask`
  return [
    '',
    paint('bold', 'Answered as before:'),
    ...before.flatMap((one) => wrap(sentence(one, { project: printable(project), dryRun: dry_run }), width, '  ')),
    ...wrap(`→ To forget these answers and be asked again: \`${again}\``, width, '    ').map((line) => paint('dim', line)),
  ]
}

function sentence(
  { answer, other_projects, files }: AnsweredBefore,
  { project, dryRun }: { project: string; dryRun: boolean },
): string {
  const others = namesInWords(other_projects)
  const [one, many] =
    answer === 'new'
      ? [`a prop of ${project} alone`, `props of ${project} alone`]
      : [`a version for ${others} too`, `versions for ${others} too`]
  return `${count(files.length, 'file')} ${dryRun ? 'would go' : 'went'} as ${files.length === 1 ? one : many}, as you answered for all that ${project} shares with ${others} (--held ${answer}).`
}
