/** `ph server backup` and `ph server restore`: a library into a folder of backups, and back into an empty place. */
import { resolve } from 'node:path'
import { readVersion } from '../../../client/version.ts'
import { exits } from '../../../contract/errors.ts'
import type { RestoreReport } from '../../../server/administration/backup/restore.ts'
import type { BackupReport } from '../../../server/administration/backup/take-backup.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command, text, value } from '../../command.ts'
import type { Context } from '../../context.ts'
import { wholeNumber } from '../../refusal.ts'
import { count, duration, number, size } from '../../terminal/amounts.ts'
import { openDisplay } from '../../terminal/progress-display.ts'
import { damageTable } from './damage.ts'
import { filesModel } from './progress.ts'
import { administer, explained, serverOptions, serverSettings } from './reach.ts'

export const backupCommands = [
  command({
    usage: 'server backup <folder>',
    summary: 'Copy the library into a folder of backups, while the server runs',
    description:
      'The database as of one moment, and every file that it names. Files that an earlier backup in the folder holds are not copied again. A backup that is interrupted counts for nothing, and those before it stay as they are; the next one goes on. The exit code is 6 when files of the library are damaged or missing, and so not in the backup.',
    arguments: { folder: 'an empty folder, or one that holds backups of this library; best on another disk' },
    options: {
      keep: value('--keep <n>', 'remove all but the newest <n> backups afterwards', wholeNumber('--keep', 1, 10_000)),
      ...serverOptions,
    },
    exits: ['partly'],
    examples: [
      ['server backup /mnt/backup/props', 'a backup beside those that are there'],
      ['server backup /mnt/backup/props --keep 14 --json', 'each night, for two weeks'],
    ],
    async run(context, { folder, keep, data }) {
      const startedMs = context.now().getTime()
      const dir = resolve(context.cwd, folder)
      const report = await backUp(context, { data, folder: dir, keep })
      const tookMs = context.now().getTime() - startedMs
      context.out.result({ folder: dir, ...report, took_ms: tookMs }, () => tellBackup(context, report, { folder: dir, tookMs }))
      return report.lacks.length > 0 ? exits.partly : undefined
    },
  }),
  command({
    usage: 'server restore <folder>',
    summary: 'Bring a backup back, into an empty data folder and an empty database',
    description:
      'Every file is hashed on the way. Files that are damaged in the backup are named and left out: the library then asks pushes for them. The rest is restored all the same, and the exit code is 6. The database may be another kind than the one that was backed up: it is the embedded one, or the one at PH_DATABASE_URL; files go below the data folder, or into the bucket at PH_STORAGE_URL. A restore that was interrupted is taken up by the same command.',
    arguments: { folder: 'the folder that was given to `ph server backup`' },
    options: {
      backup: text('--backup <name>', 'which one, by the name of its folder (default: the newest)'),
      ...serverOptions,
    },
    exits: ['conflict', 'partly'],
    examples: [
      ['server restore /mnt/backup/props --data /srv/props', 'the newest backup, into a data folder that is not there yet'],
      ['server restore /mnt/backup/props --backup 2026-11-26T02-00-00Z', 'an earlier one, into ./ph-data'],
    ],
    async run(context, { folder, backup, data }) {
      const startedMs = context.now().getTime()
      const { dataDir, report } = await restore(context, { data, folder: resolve(context.cwd, folder), backup })
      const tookMs = context.now().getTime() - startedMs
      context.out.result({ ...report, data: dataDir, took_ms: tookMs }, () => tellRestore(context, report, { dataDir, tookMs }))
      return report.damaged.length > 0 ? exits.partly : undefined
    },
  }),
]

interface Wanted {
  data: string | undefined
  folder: string
}

async function backUp(context: Context, { data, folder, keep }: Wanted & { keep: number | undefined }): Promise<BackupReport> {
  const [{ takeBackup }, { dataDir }] = await Promise.all([
    import('../../../server/administration/backup/take-backup.ts'),
    serverSettings(context, data),
  ])
  const { tell, hide } = openDisplay(context, filesModel('Copying'))
  const { signal } = context
  try {
    return await administer(context, { data }, (api) =>
      takeBackup({ api, dataDir, folder, keep, version: readVersion(), tell, signal }),
    )
  } finally {
    await hide()
  }
}

async function restore(context: Context, { data, folder, backup }: Wanted & { backup: string | undefined }) {
  const [{ restoreBackup }, settings] = await Promise.all([
    import('../../../server/administration/backup/restore.ts'),
    serverSettings(context, data),
  ])
  const { tell, hide } = openDisplay(context, filesModel('Restoring'))
  try {
    const report = await restoreBackup({ settings, folder, backup, tell, signal: context.signal })
    return { dataDir: settings.dataDir, report }
  } catch (error) {
    throw await explained(error, { data })
  } finally {
    await hide()
  }
}

function tellBackup({ out }: Context, report: BackupReport, { folder, tookMs }: { folder: string; tookMs: number }): string[] {
  const { backup, files, bytes, copied_files: copied, copied_bytes, database_bytes, lacks, removed } = report
  const more =
    copied === files ? '' : `, of which ${copied === 0 ? 'none' : `${number(copied)} (${size(copied_bytes)})`} had to be copied`
  return [
    ...(lacks.length > 0 ? damageTable(lacks, out) : []),
    `Backup ${backup} in ${folder}: ${count(files, 'file')}, ${size(bytes)}${more}, and the database, ${size(database_bytes)}. It took ${duration(tookMs)}.`,
    ...(removed.length > 0 ? [`Removed ${count(removed.length, 'older backup')}: ${removed.join(', ')}.`] : []),
    ...(lacks.length > 0
      ? [
          `${count(lacks.length, 'file of the library is', 'files of the library are')} damaged or missing, and so not in the backup. Run \`ph server check\`: it looks again, writes down what is damaged, and says how it is repaired. Then back up again.`,
        ]
      : []),
  ]
}

function tellRestore(
  { out }: Context,
  report: RestoreReport,
  { dataDir, tookMs }: { dataDir: string; tookMs: number },
): string[] {
  const { backup, taken_at, rows, files, bytes, damaged } = report
  return [
    ...(damaged.length > 0 ? damageTable(damaged, out) : []),
    `Restored the backup ${backup} (taken ${taken_at.slice(0, 19).replace('T', ' ')} UTC): ${count(rows, 'row')} and ${count(files, 'file')}, ${size(bytes)}, in ${duration(tookMs)}.`,
    ...(damaged.length > 0
      ? [
          `${count(damaged.length, 'file is', 'files are')} damaged in the backup, and left out. Push from a project that still has them: \`ph push\` sends their bytes again.`,
        ]
      : []),
    `Start the server: \`ph server start --data ${shellWord(dataDir)}\``,
  ]
}
