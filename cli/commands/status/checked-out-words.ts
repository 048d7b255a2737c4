/** Files of a project that are checked out, in words: by others, with who, until when and why; and by who asks. */
import { join, relative } from 'node:path'
import type { FileLock, StatusReport } from '../../../client/status/report.ts'
import { printable } from '../../../system/printable.ts'
import { lockWords, untilWords } from '../../entries/lock-words.ts'
import { number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'

export interface CheckedOutLook {
  paint: Paint
  width: number
  cwd: string
  /** Name every file. */
  all: boolean
  now: Date
}

/** Of each list, so many files are named. */
const mostNamed = 20

export function checkedOutWords({ locks, root }: StatusReport, look: CheckedOutLook): string[] {
  const { paint, now } = look
  const theirs = locks.filter(({ mine }) => !mine)
  const mine = locks.filter((one) => one.mine)
  return [
    ...section(theirs, {
      ...{ look, root, title: paint(['yellow', 'bold'], 'Checked out by someone else:') },
      remark: ({ lock }) => lockWords(lock, now),
      advice:
        'Before you edit one of these, ask who has it to check it in or to release it: until then the library takes no version of it from you.',
    }),
    ...section(mine, {
      ...{ look, root, title: paint('bold', 'Checked out by you:') },
      remark: ({ lock }) => `until ${untilWords(lock, now)}`,
      advice: 'ph checkin <files> pushes and gives back; ph release <files> gives back without pushing',
    }),
  ]
}

interface Section {
  title: string
  remark: (file: FileLock) => string
  advice: string
  look: CheckedOutLook
  root: string
}

function section(files: readonly FileLock[], { title, remark, advice, look, root }: Section): string[] {
  const { paint, width, cwd, all } = look
  if (files.length === 0) return []
  const shown = all ? files : files.slice(0, mostNamed)
  const hidden = files.length - shown.length
  return [
    '',
    title,
    ...shown.flatMap((one) => remarked(`  ${printable(relative(cwd, join(root, one.file)))}`, paint('dim', remark(one)), width)),
    ...(hidden > 0 ? [`  and ${number(hidden)} more (--all)`] : []),
    ...wrap(`→ ${advice}`, width, '    ').map((line) => paint('dim', line)),
  ]
}
