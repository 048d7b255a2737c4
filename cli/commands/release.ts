/** `ph release`: gives back what is checked out, without pushing. */
import { join, relative } from 'node:path'
import { findHeld, type Held, type HeldProp, releaseHeld } from '../../client/check-out/give-back.ts'
import { nameLocked } from '../../client/check-out/listed-locks.ts'
import { findNamedProps, type NamedProp } from '../../client/check-out/named-props.ts'
import { ownLocks } from '../../client/entries/active-locks.ts'
import type { Api } from '../../client/http/api.ts'
import { twoWaysOut } from '../../client/latest/ways-out.ts'
import { exits } from '../../contract/errors.ts'
import { printable } from '../../system/printable.ts'
import { command, flag } from '../command.ts'
import { requireWire } from '../connection.ts'
import type { Context } from '../context.ts'
import { requireWriting } from '../entries/key-rights.ts'
import { holderWords, lockWords } from '../entries/lock-words.ts'
import { withLibrary } from '../library.ts'
import { Refusal, wrongUsage } from '../refusal.ts'
import { count, number } from '../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../terminal/confirmation.ts'
import { wrap } from '../terminal/wrap.ts'

/** Lists longer than this end in a line that says how many more there are. */
const mostNamed = 12

export const commands = [
  command({
    usage: 'release [props...]',
    description:
      'Others can push new versions again. Files here stay as they are; what was changed and not pushed is named. Of many props either all are released or none. Admins may release what others have checked out, after a question.',
    arguments: { props: 'files or folders of the project, or props by id, name or /Game path' },
    options: {
      mine: flag('--mine', 'everything that you have checked out'),
      dryRun: flag('--dry-run', 'only show what would be released'),
      yes: yesOption,
    },
    examples: [
      ['release Content/Props/SM_Barrel.uasset', 'give a file back without a new version'],
      ['release SM_Barrel SM_Stool', 'two props'],
      ['release --mine', 'everything that you have'],
      ['release SM_Barrel --yes', 'as an admin in a script, what someone else has'],
    ],
    async run(context, { props: references, mine, dryRun, yes }) {
      if (mine === references.length > 0)
        throw wrongUsage(
          mine ? '--mine releases everything that you have, so nothing can be named beside it.' : 'Nothing was named.',
          'Name files or props, or say --mine for everything that you have.',
        )
      const wire = await requireWire(context)
      return withLibrary(context, async ({ api }) => {
        const named = mine ? undefined : await findNamedProps(references, { wire, api, cwd: context.cwd })
        const { held, me } = named ? await findHeld(api, named.props) : await everythingOfMine(api)
        requireWriting(me)
        const isAdmin = me.role === 'admin'
        const others = held.filter(({ lock }) => lock.holder.id !== me.id)
        if (others.length > 0 && !(dryRun && isAdmin)) await askFor(context, others, { isAdmin, yes })
        const released = dryRun ? 0 : await releaseHeld(api, held)
        const free = (named?.props ?? []).filter(({ lineage_id }) => held.every((one) => one.lineage_id !== lineage_id))
        const modified = editedFiles(named?.props ?? [], held, 'modified')
        const diverged = editedFiles(named?.props ?? [], held, 'diverged')
        context.out.result(
          {
            dry_run: dryRun,
            released,
            props: held,
            not_checked_out: free.map(({ lineage_id, name }) => ({ lineage_id, name })),
            modified: [...modified, ...diverged],
          },
          () => [
            ...releasedWords({ held, others, free }, { context, dryRun }),
            ...modifiedWords(modified, context),
            ...divergedWords(diverged, context, named?.root ?? context.cwd),
            ...(dryRun ? ['', 'Nothing was changed.'] : []),
          ],
        )
        return exits.done
      })
    },
  }),
]

async function everythingOfMine(api: Api): Promise<Held> {
  const { you, ...own } = await ownLocks(api)
  const on = await nameLocked(api, own)
  const held = own.locks.map((lock) => {
    const { entry_id, name } = on(lock)
    return { lineage_id: lock.lineage_id, entry_id, name, lock, files: [] }
  })
  return { held, me: you }
}

/** What others have: for admins, after a question. */
async function askFor(
  context: Context,
  others: readonly HeldProp[],
  { isAdmin, yes }: { isAdmin: boolean; yes: boolean },
): Promise<void> {
  const list = others.map(({ name, lock }) => `${printable(name)} (${lockWords(lock, context.now())})`)
  const shown =
    list.length > mostNamed
      ? `${list.slice(0, mostNamed).join('; ')}; and ${number(list.length - mostNamed)} more`
      : list.join('; ')
  if (!isAdmin)
    throw new Refusal({
      code: 'FORBIDDEN',
      exit: exits.failed,
      message: `Checked out by someone else: ${shown}. Nothing was released.`,
      next: 'Ask them to release it, or an admin of the workspace, who may.',
      details: { locks: others.map(({ lock }) => lock) },
    })
  await confirmHarm(context, {
    yes,
    plan: `Others have these checked out, and may be editing them: ${shown}.`,
    details: { locks: others.map(({ lock }) => lock) },
    question: `Release ${others.length === 1 ? 'it' : `these ${number(others.length)}`} all the same?`,
  })
}

/** Edits of what is given back: of the current version, or of an older one. */
function editedFiles(props: readonly NamedProp[], held: readonly HeldProp[], stands: 'modified' | 'diverged'): string[] {
  const isHeld = new Set(held.map(({ lineage_id }) => lineage_id))
  return props.flatMap(({ lineage_id, files }) =>
    isHeld.has(lineage_id) ? files.flatMap(({ file, state }) => (state === stands ? file : [])) : [],
  )
}

/** Of what others had it is said who: they may be editing it. */
function releasedWords(
  { held, others, free }: { held: readonly HeldProp[]; others: readonly HeldProp[]; free: readonly NamedProp[] },
  { context: { out }, dryRun }: { context: Context; dryRun: boolean },
): string[] {
  const hidden = held.length - mostNamed
  const whoseWords = (one: HeldProp) =>
    others.includes(one) ? out.paint('dim', `  ${holderWords(one.lock)} ${dryRun ? 'has' : 'had'} it`) : ''
  return [
    ...(held.length > 0 ? [`${dryRun ? 'Would release' : 'Released'} ${count(held.length, 'prop')}:`] : ['Nothing to release.']),
    ...held.slice(0, mostNamed).map((one) => `  ${printable(one.name)}${whoseWords(one)}`),
    ...(hidden > 0 ? [`  and ${number(hidden)} more`] : []),
    ...free.slice(0, mostNamed).map(({ name }) => `${printable(name)} is not checked out.`),
    ...(free.length > mostNamed ? [`and ${number(free.length - mostNamed)} more are not checked out`] : []),
  ]
}

const modifiedWords = (files: readonly string[], { out }: Context): string[] =>
  fileWords(files, {
    title: out.paint(['yellow', 'bold'], 'Modified here and not pushed:'),
    next: out.paint('dim', '    → `ph push` sends them, as long as nobody else is faster'),
  })

function divergedWords(files: readonly string[], { out, cwd }: Context, root: string): string[] {
  const ways = twoWaysOut(files.map((file) => relative(cwd, join(root, file))))
  return fileWords(files, {
    title: out.paint(['yellow', 'bold'], 'Diverged, modified here and outdated:'),
    next: ['Until you choose one of these, a push does not send them:', ...ways]
      .flatMap((text) => wrap(`→ ${text}`, out.width, '    '))
      .map((line) => out.paint('dim', line))
      .join('\n'),
  })
}

function fileWords(files: readonly string[], { title, next }: { title: string; next: string }): string[] {
  if (files.length === 0) return []
  const hidden = files.length - mostNamed
  return [
    ...['', title],
    ...files.slice(0, mostNamed).map((file) => `  ${printable(file)}`),
    ...(hidden > 0 ? [`  and ${number(hidden)} more`] : []),
    next,
  ]
}
