/** Held files that a person is asked about on the terminal, with the pictures of both. Loaded only when there is someone to ask. */
import { createInterface, type Interface } from 'node:readline/promises'
import { type CurrentVersion, currentVersion } from '../../../client/entries/current-version.ts'
import { deletedBy } from '../../../client/entries/deletion.ts'
import type { GivenAnswers, HeldAnswer, HeldItem } from '../../../client/push/held/answers.ts'
import { isShared, unknownBase } from '../../../client/push/held/why-held.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import type { Library } from '../../library.ts'
import { age, count } from '../../terminal/amounts.ts'
import { showFramed } from '../../terminal/gallery.ts'
import { shown } from '../../terminal/output.ts'
import { fetchThumbnails } from '../../terminal/pictures.ts'
import { typedLine } from '../../terminal/typed-line.ts'
import { wrap } from '../../terminal/wrap.ts'
import { madeFromIt, takeTheirs, whoHasIt } from './held-words.ts'

interface Asking {
  context: Context
  library: Library
  /** Folder of the project. */
  root: string
}

/** Asks about each of them on the terminal. Capital letters answer for all that are left; the end of input skips them. */
export async function askAbout(held: readonly HeldItem[], asking: Asking): Promise<GivenAnswers> {
  const { context } = asking
  const { stdin, stderr } = context
  const lines = createInterface({ input: stdin, output: stderr })
  const answers = new Map<string, HeldAnswer>()
  try {
    for (const [at, item] of held.entries()) {
      await ask(item, asking)
      const { is, all } = await readAnswer(lines, item, context.signal)
      for (const one of all ? held.slice(at) : [item])
        if (is === 'new' || (is === 'continue' && one.candidate_lineage_id !== null)) answers.set(one.file, is)
      if (all) return { answers, rest: is === 'skip' ? undefined : is }
    }
    return { answers }
  } finally {
    lines.close()
  }
}

async function ask(item: HeldItem, { context, library, root }: Asking): Promise<void> {
  const { out, now, stderr } = context
  const { candidate_lineage_id: lineage_id } = item
  const subject = `${out.paint('bold', printable(item.name))} (${printable(item.file)})`
  const say = (text: string) => stderr.write(shown(`\n${wrap(text, out.width).join('\n')}\n`))
  if (item.deleted) return void say(`${subject} was deleted in the library ${printable(deletedBy(item.deleted))}.`)
  if (!lineage_id) return void say(`${subject} has the same place under /Game as another new file of this push.`)
  const lineage = await library.api.lineages.get({ lineage_id })
  const current = currentVersion(lineage)
  const name = lineage.entry_id === null ? undefined : (await library.api.entries.get({ entry_id: lineage.entry_id })).name
  if (item.other_projects.length > 0 && current) say(`${subject}: ${printable(whoHasIt(item.other_projects, current))}`)
  if (item.reason === isShared) say('A new version of it is a version for those projects too: they get it with their next pull.')
  else if (item.reason === unknownBase && current) {
    const overtaken = item.overtaken ? 'Another version became current since you were asked. ' : ''
    say(`${subject}: ${overtaken}${printable(madeFromIt(current, now()))}`)
    const theirs = takeTheirs(current, root)
    if (theirs?.startsWith('ph pull')) say(`To take theirs first, skip it and run \`${theirs}\`.`)
  } else {
    const versions = count(lineage.objects.length, 'version')
    const pushed = current ? `, pushed ${age(current.pushed_at, now())} by ${current.pushed_by ?? 'someone'}` : ''
    const known = name === undefined ? 'a file of the library' : printable(name)
    say(`${subject} looks like a new version of ${known} (${versions}${printable(pushed)}), but does not say so itself.`)
  }
  await showBoth(item, { current, name }, { context, library })
}

/** Both pictures, where there are any and the terminal shows them. */
async function showBoth(
  item: HeldItem,
  { current, name }: { current: CurrentVersion | undefined; name: string | undefined },
  { context, library }: { context: Context; library: Library },
): Promise<void> {
  const entryId = current?.entry_id ?? undefined
  const [mine, theirs] = await Promise.all([
    item.picture(),
    entryId === undefined ? undefined : fetchThumbnails(context, library, [entryId]).then((found) => found.get(entryId)),
  ])
  if (!mine && !theirs) return
  await showFramed(context, [
    { picture: mine, caption: `yours: ${item.name}` },
    { picture: theirs, caption: `v${current?.version ?? 1}: ${name ?? ''}` },
  ])
}

interface Answered {
  is: HeldAnswer | 'skip'
  all: boolean
}

async function readAnswer(lines: Interface, item: HeldItem, signal: AbortSignal): Promise<Answered> {
  const canContinue = item.candidate_lineage_id !== null
  const choices = !canContinue
    ? '[n] a new prop anyway  [s] skip'
    : item.reason === isShared
      ? '[v] a version for all of them  [n] a prop of this project alone  [s] skip'
      : '[v] a new version of it  [n] a prop of its own  [s] skip'
  for (;;) {
    const typed = await typedLine(lines, `  ${choices}\n  (capital: for all the rest) > `, signal)
    if (typed === undefined) return { is: 'skip', all: true }
    const all = typed !== typed.toLowerCase()
    if (typed.toLowerCase() === 'v' && canContinue) return { is: 'continue', all }
    if (typed.toLowerCase() === 'n') return { is: 'new', all }
    if (typed.toLowerCase() === 's') return { is: 'skip', all }
  }
}
