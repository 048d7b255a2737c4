/** `ph undo`: takes back a change in the library: the last one, one of the list, or what the last push from a project made there. */

import { basename, resolve } from 'node:path'
import { versionName } from '../../client/entries/current-version.ts'
import { type Api, createApi } from '../../client/http/api.ts'
import type { PushedVersion } from '../../client/memory/last-push.ts'
import { placeInProject } from '../../client/project/paths.ts'
import { deleteEntry, openLastPush, pushedFolders, type Remembered, restoreBefore, stepFor } from '../../client/push/undo.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { exits } from '../../contract/errors.ts'
import { shellWord } from '../../system/shell-word.ts'
import { command, flag } from '../command.ts'
import { foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { type Act, actOnEach, type Row } from '../entries/one-by-one.ts'
import { journalOf, withLibrary } from '../library.ts'
import { Refusal } from '../refusal.ts'
import { age, count } from '../terminal/amounts.ts'
import { yesOption } from '../terminal/confirmation.ts'
import { wrap } from '../terminal/wrap.ts'
import { chooseChange, listChanges, markPush, undoChange } from './undo/changes.ts'
import { undoWholePush } from './undo/whole-push.ts'

/** So many ids still make a command line that can be copied. */
const mostInCommand = 50

export const commands = [
  command({
    usage: 'undo [folder]',
    description:
      'Takes back the last change that you made in the library from this machine: a push, tags, names, check-outs, comments and so on; with a number, that change of `ph undo --list`. What someone has changed since stays, and is named. What is deleted does not come back. A push of the last 24 hours is taken back whole: its versions and the entries that it made go, and what was current before is current again; unless someone else pulled, reviewed, commented or built on what it brought, which is named. Of an older push, versions are restored one by one, and only admins delete entries. The files here stay as they are. With a folder, it takes back the last push from there: one push is remembered for each project, and a push that was stopped counts as far as it came. The newest 50 changes are remembered for each person and workspace, or for the key in PH_API_KEY.',
    arguments: { folder: 'a number of the list, or the project or folder that was pushed (default: the last change)' },
    options: {
      list: flag('--list', 'show what can be taken back, the newest first'),
      dryRun: flag('--dry-run', 'only show what would change'),
      yes: yesOption,
    },
    examples: [
      ['undo --dry-run', 'see what taking back the last change would do'],
      ['undo', 'take it back, after a question'],
      ['undo --list', 'see what you changed, with numbers'],
      ['undo 12 --yes', 'take back change 12 of the list'],
      ['undo ~/Scans --yes --json', 'for a script, the last push of another folder'],
    ],
    exits: ['conflict', 'partly'],
    async run(context, { folder, list, dryRun, yes }) {
      return withLibrary(context, async ({ http, connection }) => {
        const { url } = connection
        // What takes a change back is no change of its own.
        const api = createApi(http)
        const journal = await journalOf(context, connection)
        if (list) return listChanges(context, { journal, url })
        const isNumber = folder !== undefined && /^\d{1,15}$/.test(folder)
        const isOfFolder = folder !== undefined && !isNumber
        const change = isOfFolder ? undefined : chooseChange(context, await journal.read(), { folder, url })
        if (change && !change.push) return undoChange(context, change, { api, journal, dryRun, yes })
        const path = change?.push?.root ?? placeInProject(resolve(context.cwd, folder ?? '.'))
        const last = openLastPush(path, { folders: foldersOf(context), url })
        if (!last) throw nothingToUndo(context, { path, url })
        try {
          const code = await undo(context, { api, last, dryRun, yes })
          if (!dryRun && (code === exits.done || code === exits.partly)) await markPush(context, journal, last)
          return code
        } finally {
          last.memory.close()
        }
      })
    },
  }),
]

/** Longer lists of folders end in how many more there are. */
const mostFolders = 5

/** Names the folders that there is something to undo of, with the command for the latest. */
function nothingToUndo(context: Context, { path, url }: { path: string; url: string }): Refusal {
  const pushes = pushedFolders({ folders: foldersOf(context), url })
  const message = `No push from ${path} to ${url} is remembered on this machine.`
  const [latest] = pushes
  const shown = pushes.slice(0, mostFolders).map(({ root, begunAt }) => `${root} (${age(begunAt, context.now())})`)
  const hidden = pushes.length - shown.length
  const known = hidden > 0 ? [...shown, `${hidden} more`] : shown
  return new Refusal({
    code: 'NOTHING_TO_UNDO',
    exit: exits.failed,
    message,
    next: latest
      ? `ph remembers the last pushes from ${known.join(', ')}. Name the folder: \`ph undo ${shellWord(latest.root)}\`.`
      : 'Nothing was pushed there from this machine, or all of it is undone. Other versions: `ph history` and `ph restore`.',
    details: { pushes: pushes.map(({ root, begunAt }) => ({ root, pushed_at: begunAt })) },
  })
}

interface Undoing {
  api: Api
  last: Remembered
  dryRun: boolean
  yes: boolean
}

async function undo(context: Context, { api, last, dryRun, yes }: Undoing): Promise<number> {
  const { push, root } = last
  const pushedAt = push.run.begunAt
  const when = `The last push from ${basename(root)}, ${age(pushedAt, context.now())},`
  const more = { root, pushed_at: pushedAt }
  const byEntry = new Map(push.versions.flatMap((one) => (one.entryId === null ? [] : [[one.entryId, one] as const])))
  const parts = push.versions.filter(({ entryId }) => entryId === null)
  const nothing = { dry_run: dryRun, ...more, changed: 0, unchanged: 0, failed: 0, entries: [], ...partFiles(parts) }
  if (push.versions.length === 0) {
    context.out.result(nothing, `${when} is undone already. Only one push is remembered.`)
    return exits.done
  }
  const { isAdmin } = await requireWriter(api)
  context.out.note(`${when} can be taken back in the library only: the files here stay as they are.`)
  const whole = await undoWholePush(context, { api, last, dryRun, yes, more })
  if (whole !== undefined) return whole
  if (byEntry.size === 0) {
    context.out.result(nothing, `${when} ${partsStay(parts)}`)
    return exits.partly
  }
  const plan = (entry: EntryDetail) => actOf(byEntry.get(entry.id), entry, { api, last, isAdmin })
  const { width } = context.out
  const code = await actOnEach(context, api, {
    ids: [...byEntry.keys()],
    dryRun,
    confirm: { yes, question: (these) => `Take back ${these}?` },
    plan,
    gone: (id) => ({ name: byEntry.get(id)?.name ?? '', outcome: 'deleted already' }),
    more: { ...more, ...partFiles(parts) },
    closing: (rows) => [
      ...whatAdminsDelete(rows).flatMap((line) => ['', ...wrap(line, width)]),
      ...(parts.length > 0 ? ['', ...wrap(partsStay(parts), width)] : []),
    ],
  })
  return code === exits.done && parts.length > 0 ? exits.partly : code
}

async function actOf(
  version: PushedVersion | undefined,
  entry: EntryDetail,
  { api, last: { memory }, isAdmin }: Pick<Undoing, 'api' | 'last'> & { isAdmin: boolean },
): Promise<Act> {
  if (!version) return { outcome: 'unchanged' }
  const step = await stepFor(version, entry, { api, isAdmin })
  if (step.kind === 'refused') return { outcome: '', refused: step.why }
  if (step.kind === 'nothing') return { outcome: 'as before the push already' }
  if (step.kind === 'delete') return { outcome: 'deleted', act: () => deleteEntry(version, { entry, api, memory }) }
  const { to } = step
  const act = () => restoreBefore(version, { entryId: entry.id, to, api, memory })
  return { outcome: `restored to ${versionName(to)}`, act }
}

function whatAdminsDelete(rows: readonly Row[]): string[] {
  const ids = rows.flatMap(({ entry_id, error }) => (error?.code === 'FORBIDDEN' ? [entry_id] : []))
  if (ids.length === 0) return []
  const command = `ph delete ${ids.slice(0, mostInCommand).join(' ')}`
  const hidden = ids.length - mostInCommand
  return [`Ask an admin to delete what is new: \`${command}\`${hidden > 0 ? ` and ${hidden} more (--json lists all)` : ''}`]
}

const partFiles = (parts: readonly PushedVersion[]) =>
  parts.length === 0 ? {} : { without_entry: parts.map(({ file, objectId }) => ({ file, object_id: objectId })) }

const partsStay = (parts: readonly PushedVersion[]): string =>
  `${count(parts.length, 'file')} without an entry, such as parts of levels, ${parts.length === 1 ? 'stays' : 'stay'} in the library: only entries can be restored or deleted.`
