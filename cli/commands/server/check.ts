/** `ph server check`: whether every file of the library is what it was, and every reference leads somewhere. */
import { exits } from '../../../contract/errors.ts'
import type { DamagedFile } from '../../../contract/operator-files.ts'
import type { CheckReport } from '../../../server/administration/files/check.ts'
import { printable } from '../../../system/printable.ts'
import { command, value } from '../../command.ts'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../refusal.ts'
import { count, duration, size } from '../../terminal/amounts.ts'
import { openDisplay } from '../../terminal/progress-display.ts'
import { damageTable } from './damage.ts'
import { executableWords } from './executables.ts'
import { filesModel } from './progress.ts'
import { administer, serverOptions, serverSettings } from './reach.ts'

export const checkCommands = [
  command({
    usage: 'server check',
    summary: 'Read every file of the library, and say which are damaged',
    description:
      'Reads and hashes every file that the library names, on the disk or in the bucket, and looks up every reference in the database, while the server runs or while it does not. What is damaged or missing is named and written down: the next push that holds the same bytes, from any project, is asked for them and puts them in their place; damaged pictures and previews are made anew. Run it again afterwards. After an upgrade from an older version it says what was changed, and how far that is. Programs and scripts that the library took before it refused such files are listed; they are no damage. The exit code is 1 when something is wrong.',
    options: {
      rate: value(
        '--rate <amount>',
        'the most to read in a second, such as 50MB/s, so that the disk serves others too',
        readRate,
      ),
      ...serverOptions,
    },
    examples: [
      ['server check', 'read everything, as fast as the disk gives it'],
      ['server check --rate 50MB/s --json', 'slowly, beside the day’s work, as JSON'],
    ],
    async run(context, { data, rate }) {
      const startedMs = context.now().getTime()
      const report = await check(context, { data, bytesPerSecond: rate })
      const tookMs = context.now().getTime() - startedMs
      context.out.result({ ...report, took_ms: tookMs }, () => [
        ...tell(context, report, tookMs),
        ...upgradeWords(report.references.upgrade),
        ...executableWords(report.executables, context.out),
      ])
      const { broken, failed } = report.references
      return report.damaged.length + broken.length > 0 || failed !== undefined ? exits.failed : undefined
    },
  }),
]

async function check(
  context: Context,
  { data, bytesPerSecond }: { data: string | undefined; bytesPerSecond: number | undefined },
): Promise<CheckReport> {
  const [{ checkLibrary }, { dataDir }] = await Promise.all([
    import('../../../server/administration/files/check.ts'),
    serverSettings(context, data),
  ])
  const display = openDisplay(context, filesModel('Checking'))
  try {
    return await administer(context, { data }, (api) =>
      checkLibrary({
        api,
        dataDir,
        bytesPerSecond,
        signal: context.signal,
        tell: (event) => display.tell(event.kind === 'files' ? event : { kind: 'step', says: 'Looking up references' }),
      }),
    )
  } finally {
    await display.hide()
  }
}

const units = { KB: 1e3, MB: 1e6, GB: 1e9, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30 }

/** `50MB/s`, `50MB`, `1.5 GiB/s`: bytes a second. */
function readRate(given: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,6}(?:\.\d+)?)\s*([KMG]I?B)(?:\/S)?$/.exec(given.trim().toUpperCase()) ?? []
  const bytes = Number(amount) * units[unit as keyof typeof units]
  if (bytes >= 1000) return bytes
  throw wrongUsage(`--rate does not take "${given}".`, 'Write an amount for each second: --rate 50MB/s')
}

function tell({ out }: Context, { files, bytes, damaged, repaired, references }: CheckReport, tookMs: number): string[] {
  const read = `Read ${count(files, 'file')}, ${size(bytes)}, in ${duration(tookMs)}.`
  const again =
    repaired > 0
      ? [
          `${count(repaired, 'file')} that ${repaired === 1 ? 'was' : 'were'} damaged ${repaired === 1 ? 'is' : 'are'} whole again.`,
        ]
      : []
  const broken = references.broken.map(
    ({ reference, rows, examples }) => `${count(rows, 'row')} lead nowhere: ${reference} (${examples.map(printable).join(', ')})`,
  )
  const unseen =
    references.failed === undefined
      ? []
      : [`References could not be looked up: ${printable(references.failed)} Run \`ph server check\` again.`]
  if (damaged.length + broken.length + unseen.length === 0)
    return [...again, `${read} All of them are whole, and all ${references.checked} kinds of references lead somewhere.`]
  return [
    ...(damaged.length > 0 ? damageTable(damaged, out) : []),
    ...broken,
    ...again,
    `${read} ${count(damaged.length, 'file is', 'files are')} damaged or missing.`,
    ...nextSteps(damaged),
    ...unseen,
    ...(broken.length > 0
      ? ['Rows that lead nowhere come from a fault of the server or its disk: restore the last backup, and report them.']
      : []),
  ]
}

function nextSteps(damaged: readonly DamagedFile[]): string[] {
  const has = (...kinds: DamagedFile['kind'][]) => damaged.some(({ kind }) => kinds.includes(kind))
  return [
    ...(has('version')
      ? [
          'Push from a project that still has these versions: `ph push` sends their bytes again by itself. Then run `ph server check` again.',
        ]
      : []),
    ...(has('thumbnail', 'preview')
      ? ['Damaged pictures and previews are out of use: a push sends new ones, as does `ph previews`.']
      : []),
    ...(has('attachment') ? ['Attachments come back out of a backup only: `ph server restore` says how.'] : []),
  ]
}

/** What was changed of a library of an older version; nothing where there is nothing to tell. */
function upgradeWords(upgrade: CheckReport['references']['upgrade']): string[] {
  if (!upgrade) return []
  const { is_done, found, versions, doubled, level_sets, level_parts, completed } = upgrade
  const far = is_done
    ? `This library is of an older version: what ${count(versions, 'version refers', 'versions refer')} to is kept for their projects now.`
    : `This library is of an older version: what ${versions} of ${count(found, 'version refers', 'versions refer')} to is kept for their projects now. The server does the rest by itself while it runs.`
  const changed = [
    ...(doubled > 0 ? [`${count(doubled, 'reference')} went, because another one leads to the same path`] : []),
    ...(level_sets > 0 ? [`${count(level_parts, 'actor')} of levels became ${count(level_sets, 'set')}`] : []),
    ...(completed > 0 ? [`${count(completed, 'missing reference')} found what came meanwhile`] : []),
  ]
  return [changed.length > 0 ? `${far} ${changed.join('; ')}.` : far]
}
