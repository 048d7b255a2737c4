/** What a check-out came to, in words: until when, and what to know about the files here before they are edited. */
import { join, relative } from 'node:path'
import type { CheckOutPlan } from '../../../client/check-out/plan.ts'
import type { Standing } from '../../../client/check-out/standing.ts'
import type { CheckedOut } from '../../../client/check-out/take.ts'
import { twoWaysOut } from '../../../client/latest/ways-out.ts'
import type { PullReport } from '../../../client/pull/report.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { untilWords } from '../../entries/lock-words.ts'
import { count, number } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'
import { pullWords } from '../pull/words.ts'

export interface CheckOutReport extends Pick<CheckOutPlan, 'root' | 'project' | 'radar'> {
  dry_run: boolean
  props: CheckedOut[]
  /** Null where nothing was brought. */
  brought: PullReport | null
}

export interface CheckOutLook {
  out: Output
  cwd: string
  now: Date
}

const mostNamed = 12
/** So many ids still make a command line that can be copied. */
const mostInCommand = 50

export function checkOutWords(report: CheckOutReport, look: CheckOutLook): string[] {
  const { brought, dry_run } = report
  return [
    ...(brought ? [...pullWords(brought, { ...look, verbose: false }), ''] : []),
    ...heading(report, look),
    ...named(report, look),
    ...(['outdated', 'diverged', 'untracked', 'missing'] as const).flatMap((standing) => section(standing, report, look)),
    ...(dry_run ? ['', 'Nothing was changed.'] : ['', ...wrap(closing(report, look), look.out.width)]),
  ]
}

function heading({ props, dry_run }: CheckOutReport, { out, now }: CheckOutLook): string[] {
  const extended = props.filter((one) => one.extended).length
  const fresh = props.length - extended
  const [lock] = props.flatMap((one) => one.lock ?? [])
  const until = lock ? ` until ${untilWords(lock, now)}` : ''
  const parts = [
    ...(fresh > 0 ? [`${dry_run ? 'Would check' : 'Checked'} out ${count(fresh, 'prop')}`] : []),
    ...(extended > 0
      ? [`${fresh > 0 ? 'extended' : dry_run ? 'Would extend' : 'Extended'} ${count(extended, 'check-out')} of yours`]
      : []),
  ]
  return wrap(`${parts.join(' and ')}${until}:`, out.width)
}

function named({ props, root }: CheckOutReport, { out, cwd }: CheckOutLook): string[] {
  const hidden = props.length - mostNamed
  return [
    ...props.slice(0, mostNamed).flatMap(({ name, files: [file] }) => {
      const place = file === undefined || root === null ? '' : out.paint('dim', printable(relative(cwd, join(root, file))))
      return place === '' ? [`  ${printable(name)}`] : remarked(`  ${printable(name)}`, place, out.width)
    }),
    ...(hidden > 0 ? [`  and ${number(hidden)} more (\`ph locks --mine\`)`] : []),
  ]
}

const titles: Record<Exclude<Standing, 'current' | 'modified'>, string> = {
  outdated: 'Outdated here:',
  diverged: 'Diverged, modified here and outdated:',
  untracked: 'Made from a version that is not known here:',
  missing: 'Not in this project:',
}

function section(standing: keyof typeof titles, { root, project, props: all }: CheckOutReport, look: CheckOutLook): string[] {
  const { out, cwd } = look
  const props = all.filter(
    (one) => one.standing === standing && !(standing === 'missing' && one.files.length === 0 && one.is_needed),
  )
  if (props.length === 0 || (standing === 'missing' && project === null)) return []
  const files = props.flatMap(({ files: [file], name }) => (file && root ? relative(cwd, join(root, file)) : name))
  const hidden = files.length - mostNamed
  return [
    '',
    out.paint(['yellow', 'bold'], titles[standing]),
    ...files.slice(0, mostNamed).map((file) => `  ${printable(file)}`),
    ...(hidden > 0 ? [`  and ${number(hidden)} more`] : []),
    ...advice(standing, { props, project, files })
      .flatMap((text) => wrap(`→ ${text}`, out.width, '    '))
      .map((line) => out.paint('dim', line)),
  ]
}

interface ToAdvise {
  props: readonly CheckedOut[]
  project: string | null
  /** As they are named from where the person stands. */
  files: readonly string[]
}

function advice(standing: keyof typeof titles, { props, project, files }: ToAdvise): string[] {
  if (standing === 'diverged')
    return ['Nothing here was overwritten. Until you choose one of these, a push does not send them:', ...twoWaysOut(files)]
  if (standing === 'untracked')
    return ['A push holds such files until you say that they are the next version.', ...twoWaysOut(files)]
  const ids = [...new Set(props.flatMap(({ entry_id }) => entry_id ?? []))]
  const shown = ids.length === 0 ? '<entries>' : ids.slice(0, mostInCommand).join(' ')
  const pull = project === null ? `ph download ${shown} --to <folder>` : `ph pull ${shown} --project ${shellWord(project)}`
  return [standing === 'outdated' ? `Before you edit: \`${pull}\`` : `\`${pull}\``]
}

const closing = ({ props, root }: CheckOutReport, { cwd }: CheckOutLook): string => {
  const [only] = props
  const file = props.length === 1 && root ? only?.files[0] : undefined
  const what = file && root ? shellWord(relative(cwd, join(root, file))) : '<files>'
  return `When you are done: \`ph checkin ${what}\` pushes and gives back, \`ph release ${what}\` gives back without pushing.`
}
