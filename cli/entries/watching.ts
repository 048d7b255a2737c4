/** `ph watch`, `ph unwatch` and `ph mute`: whose comments one hears of, for many props. */
import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import type { Watch } from '../../contract/watches.ts'
import { printable } from '../../system/printable.ts'
import type { Context } from '../context.ts'
import { withLibrary } from '../library.ts'
import { wrap } from '../terminal/wrap.ts'
import { requireWriter } from './key-rights.ts'
import { readEntryList } from './list.ts'
import { actOnEach } from './one-by-one.ts'

export interface Watching {
  /** As a sentence about the prop goes on. */
  outcome: string
  isSo(watch: Watch): boolean
  act(api: Api, entryId: number): Promise<Watch>
  /** What to know of a prop whose state is still another one. */
  remark?: (watch: Watch, name: string) => string | undefined
}

/** Gives the exit code. */
export async function changeWatches(context: Context, given: readonly string[], watching: Watching): Promise<number> {
  const references = await readEntryList(context, given)
  return withLibrary(context, async ({ api }) => {
    await requireWriter(api)
    const remarks: string[] = []
    const look = (watch: Watch, name: string) => {
      const remark = watching.remark?.(watch, printable(name))
      if (remark !== undefined) remarks.push(remark)
    }
    return actOnEach(context, api, {
      ids: await requireEntryIds(api, references),
      dryRun: false,
      async plan({ id, name }) {
        const watch = await api.watches.get({ entry_id: id })
        if (!watching.isSo(watch)) return { outcome: watching.outcome, act: async () => look(await watching.act(api, id), name) }
        look(watch, name)
        return { outcome: `${watching.outcome} already` }
      },
      closing: () => remarks.flatMap((remark) => wrap(remark, context.out.width)),
    })
  })
}
