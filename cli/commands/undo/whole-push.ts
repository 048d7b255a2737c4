/** `ph undo` of a push that the library takes back whole: the plan, the question, what became of each prop, and who stands in the way. */
import type { Api } from '../../../client/http/api.ts'
import type { Remembered } from '../../../client/push/undo.ts'
import { planWhole, type UndoneVersion, undoWhole, usesIn } from '../../../client/push/undo-whole.ts'
import { exits } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { Context } from '../../context.ts'
import { type Row, rowLines, sumsOf } from '../../entries/one-by-one.ts'
import { count } from '../../terminal/amounts.ts'
import { confirmHarm } from '../../terminal/confirmation.ts'
import { wrap } from '../../terminal/wrap.ts'
import { inUse } from './in-use.ts'

interface Undoing {
  api: Api
  last: Remembered
  dryRun: boolean
  yes: boolean
  /** What the answer holds besides. */
  more: Record<string, unknown>
}

/** Undefined where the library cannot: then each entry is looked at by itself. Throws Refusal `CONFLICT` where others use what was pushed. */
export async function undoWholePush(context: Context, { api, last, dryRun, yes, more }: Undoing): Promise<number | undefined> {
  const plan = await refusing(context, last, () => planWhole(last, api))
  if (plan === 'late')
    context.out.note(
      `A push is taken back whole for ${limits.pushUndo.hours} hours. Of this one, versions are restored one by one, and only admins delete entries.`,
    )
  if (plan === 'late' || plan === 'unknown') return undefined
  const { out } = context
  const documentOf = (undone: readonly UndoneVersion[], isDry: boolean) => {
    const rows = rowsOf(undone, isDry)
    return { dry_run: isDry, ...more, ...sumsOf(rows), entries: rows, ...filesOf(undone) }
  }
  const linesOf = (undone: readonly UndoneVersion[], isDry: boolean) => [
    ...rowLines(rowsOf(undone, isDry), out),
    ...filesInWords(undone, isDry).flatMap((line) => ['', ...wrap(line, out.width)]),
  ]
  if (!dryRun) {
    const question = `Take back ${whatOf(plan)}?`
    await confirmHarm(context, { yes, plan: linesOf(plan, true), details: documentOf(plan, true), question })
  }
  const undone = dryRun ? plan : await refusing(context, last, () => undoWhole(last, api))
  out.result(documentOf(undone, dryRun), () => [...linesOf(undone, dryRun), ...(dryRun ? ['', 'Nothing was changed.'] : [])])
  return exits.done
}

const isEntry = ({ version: { entryId } }: UndoneVersion): boolean => entryId !== null

const rowsOf = (undone: readonly UndoneVersion[], isDry: boolean): Row[] =>
  undone.filter(isEntry).map(({ version, now }) => ({
    entry_id: version.entryId ?? 0,
    name: now.name ?? version.name,
    status: isDry ? 'would' : 'done',
    outcome: now.current === null || now.entry_id === null ? 'deleted' : `restored to v${now.current.version}`,
  }))

/** Files without an entry, such as parts of levels, go with the rest. */
const withoutEntry = (undone: readonly UndoneVersion[]) => undone.filter((one) => !isEntry(one)).map(({ version }) => version)

function filesOf(undone: readonly UndoneVersion[]) {
  const files = withoutEntry(undone).map(({ file, objectId }) => ({ file, object_id: objectId }))
  return files.length > 0 ? { also_undone: files } : {}
}

function filesInWords(undone: readonly UndoneVersion[], isDry: boolean): string[] {
  const files = withoutEntry(undone).length
  if (files === 0) return []
  return [`${count(files, 'file')} without an entry, such as parts of levels, ${isDry ? 'would go' : 'went'} with it.`]
}

function whatOf(undone: readonly UndoneVersion[]): string {
  const files = withoutEntry(undone).length
  const entries = undone.length - files
  if (files === 0) return count(entries, 'entry', 'entries')
  return entries === 0 ? count(files, 'file') : `${count(entries, 'entry', 'entries')} and ${count(files, 'file')} without one`
}

async function refusing<T>(context: Context, last: Remembered, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const used = usesIn(error)
    if (used) throw inUse(context, last, used)
    throw error
  }
}
