/** What a download of many came to, in words. */
import type { DownloadedFile, DownloadReport } from '../../../client/download/download.ts'
import { printable } from '../../../system/printable.ts'
import { missingWords } from '../../entries/missing-dependency-words.ts'
import { warningLines } from '../../pull-orders/warning-lines.ts'
import { count, number, size } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'

/** Longer lists end in a line that says how many more there are. */
const mostFiles = 12
const mostOthers = 5

const signs = { downloaded: '+', replaced: '~', present: '=' } as const

export function downloadWords(report: DownloadReport, out: Output): string[] {
  const { files, to, entries } = report
  const came = files.filter(({ outcome }) => outcome !== 'present')
  const bytes = came.reduce((sum, file) => sum + file.size, 0)
  const there = files.length - came.length
  const present = there > 0 ? `; ${there === 1 ? '1 was' : `${number(there)} were`} there already` : ''
  const sum =
    came.length === 0
      ? `${printable(to)} holds ${files.length === 1 ? 'this file' : `these ${number(files.length)} files`} already.`
      : `Downloaded ${count(came.length, 'file')}, ${size(bytes)}, into ${printable(to)}${present}. Each was checked.`
  return [
    ...wrap(sum, out.width),
    ...listed(came, out),
    ...apartWords(report, out),
    ...unresolvedWords(report, out),
    ...guessedWords(report, out),
    ...leftOutWords(report, out),
    ...warningLines(report.warnings, out),
    ...missingWords(report, { out, entries: entries.length, all: false, allFlag: '--json' }),
  ]
}

function listed(files: readonly DownloadedFile[], { paint, width }: Output): string[] {
  const shown = files.slice(0, mostFiles)
  return [
    ...shown.flatMap(({ file, outcome, size: bytes }) =>
      remarked(`  ${signs[outcome]} ${printable(file)}`, paint('dim', size(bytes)), width),
    ),
    ...more(files.length - shown.length),
  ]
}

const more = (hidden: number): string[] => (hidden > 0 ? [`    and ${number(hidden)} more (--json)`] : [])

function apartWords({ apart }: DownloadReport, { paint, width }: Output): string[] {
  if (apart.length === 0) return []
  const shown = apart.slice(0, mostOthers)
  return [
    '',
    paint(['yellow', 'bold'], 'In a folder of their own:'),
    ...wrap('These have files that would lie where other files lie.', width, '  '),
    ...shown.map(
      ({ name, folder, path }) =>
        `    ${printable(name)}  ${paint('dim', `${printable(folder)}/ because of ${printable(path)}`)}`,
    ),
    ...more(apart.length - shown.length),
  ]
}

function leftOutWords({ left_out }: DownloadReport, { paint, width }: Output): string[] {
  if (left_out.length === 0) return []
  const shown = left_out.slice(0, mostOthers)
  const advice = '→ Download one alone, under a name of your own: `ph download <entry> -o <file>`'
  return [
    '',
    paint(['yellow', 'bold'], 'Left out:'),
    ...shown.flatMap(({ what, why }) => wrap(printable(`${what} ${why}`), width, '    ')),
    ...more(left_out.length - shown.length),
    ...wrap(advice, width, '    ').map((line) => paint('dim', line)),
  ]
}

/** Files that the downloaded ones name: not asked for, or not in the library. */
function unresolvedWords({ unresolved, with_deps }: DownloadReport, { paint, width }: Output): string[] {
  if (unresolved.length === 0) return []
  const shown = unresolved.slice(0, mostOthers)
  return [
    '',
    paint(['yellow', 'bold'], with_deps ? 'Named, and not in the library:' : 'Needed, and not downloaded:'),
    ...shown.map(({ file, address }) => `    ${printable(address)}  ${paint('dim', `named in ${printable(file)}`)}`),
    ...more(unresolved.length - shown.length),
    ...(with_deps ? [] : wrap('→ Download with --with-deps.', width, '    ').map((line) => paint('dim', line))),
  ]
}

/** Bytes that were pushed under two names are one version, so a file may lie under a name that it was never pushed by; or it is another one. */
function guessedWords({ guessed }: DownloadReport, { paint, width }: Output): string[] {
  if (guessed.length === 0) return []
  const shown = guessed.slice(0, mostOthers)
  return [
    '',
    paint(['yellow', 'bold'], 'Under another name than they were pushed by:'),
    ...wrap(
      'The library has one file of this kind for the model, so it was taken. Check whether it is the right one.',
      width,
      '  ',
    ),
    ...shown.flatMap(({ file, address, taken }) =>
      remarked(
        `    ${printable(address)}`,
        paint('dim', `has the bytes of ${printable(taken)}, named in ${printable(file)}`),
        width,
      ),
    ),
    ...more(guessed.length - shown.length),
  ]
}
