/** `ph locks`: what is checked out, by whom, and until when. */
import { type ListedLock, lineagesOfProject, listLocks } from '../../client/check-out/listed-locks.ts'
import { command, flag } from '../command.ts'
import { foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { holderWords, noteLine } from '../entries/lock-words.ts'
import { offlineOption, withLibraryOrMirror } from '../offline.ts'
import { age, timeLeft } from '../terminal/amounts.ts'
import { table } from '../terminal/table.ts'

export const commands = [
  command({
    usage: 'locks',
    description:
      'Lists what is checked out, what ends soonest first. BASE says whether the holder works from the current version: with one that is outdated, an admin has made another version current meanwhile. What its holder does not need any more is given back with `ph release`.',
    options: {
      mine: flag('--mine', 'only what you have checked out'),
      project: flag('--project', 'only what the project that you are in has, as of its last push, pull or status'),
      offline: offlineOption,
    },
    examples: [
      ['locks', 'everything that someone has checked out'],
      ['locks --mine', 'what you have, and how long you still have it'],
      ['locks --project', 'what of this project you should not edit now'],
      ['locks --mine --json | jq -r ".locks[].name"', 'names for a script'],
    ],
    async run(context, { mine, project, offline }) {
      await withLibraryOrMirror(context, { offline }, async ({ api, connection: { url } }) => {
        const lineageIds = project ? lineagesOfProject(context.cwd, { folders: foldersOf(context), url }) : undefined
        const locks = await listLocks({ api, mine, lineageIds })
        context.out.result({ locks }, () => (locks.length > 0 ? lockTable(locks, context) : nothing(mine, project)))
      })
      return undefined
    },
  }),
]

const nothing = (mine: boolean, project: boolean): string =>
  `${mine ? 'You have nothing' : 'Nothing'} ${project ? 'of this project ' : ''}${mine ? 'checked out.' : 'is checked out.'}`

const lockTable = (locks: readonly ListedLock[], { out, now }: Context): string[] =>
  table(
    locks,
    [
      { title: 'ID', value: ({ entry_id }) => entry_id ?? '-', right: true, spare: 'late' },
      { title: 'NAME', value: ({ name }) => name, cut: 'middle' },
      { title: 'WHO', value: ({ lock, mine }) => (mine && out.terminal ? 'you' : holderWords(lock)), cut: 'end' },
      { title: 'LEFT', value: ({ lock }) => timeLeft(lock.expires_at, now()) },
      { title: 'BASE', value: ({ base }) => base ?? '-' },
      { title: 'SINCE', value: ({ lock }) => age(lock.created_at, now()), spare: true },
      { title: 'NOTE', value: ({ lock }) => noteLine(lock.note ?? ''), cut: 'end' },
    ],
    out,
  )
