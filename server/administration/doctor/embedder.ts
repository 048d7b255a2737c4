/** A look at the embedder: can it be opened with these settings, by a thread as that of the server. */
import { type Finding, fine, note, warning } from '../../../system/finding.ts'
import type { Clock } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import { EmbedderThread } from '../../looks/embedder-thread.ts'

/** A model of some hundred megabytes is read within this. */
export const embedderMs = 30_000

export async function lookAtEmbedder({ embedder: setting }: Settings, clock: Clock): Promise<Finding[]> {
  if (setting === 'off') return [note('search by look', 'PH_EMBEDDER is off: entries are found by words alone.')]
  const embedder = new EmbedderThread({ setting, clock, log: { warn: () => {} } })
  try {
    const facts = await embedder.open()
    if (facts) return [fine('search by look', `The embedder ${setting} works${facts.hasWords ? ', with words too' : ''}.`)]
    const why = embedder.failure ?? 'It cannot be opened.'
    return [warning('search by look', why, 'Put PH_EMBEDDER right and restart the server. Until then entries are found by words alone.')]
  } finally {
    await embedder.close()
  }
}
