/** Documents of commands that find, show and send props. */
import { duplicates } from '../../../contract/duplicates.ts'
import { editorSessions } from '../../../contract/editor-sessions.ts'
import { EntryDetail, entries } from '../../../contract/entries.ts'
import { Facets } from '../../../contract/facets.ts'
import { LevelSet, SetPart } from '../../../contract/level-sets.ts'
import { Lineage } from '../../../contract/lineages.ts'
import { PullJob, PullJobDetail, pullJobs } from '../../../contract/pull-jobs.ts'
import { Missing } from './pull.ts'
import { either, Open, type Shapes, shape } from './shape.ts'

const Found = shape('{ entries: Entry[], next_cursor?: string | null, total?: integer, total_ranked?: integer }', {
  Entry: entries.list.output.properties.entries.items,
})

/** What is ordered, and what a plan says would be: the fields of the first job, with entries, files, bytes and warnings of all `jobs`. */
const Sent = either(
  shape('Job & Missing & { jobs: PullJob[] }', { Job: pullJobs.create.output, Missing, PullJob }),
  shape('Plan & { id: null } & Missing & { jobs: PullJob[] }', { Plan: pullJobs.plan.output, Missing, PullJob }),
)

const LookAlikes = shape(
  `{
    groups: { entry: { id: integer, name: string }, entries: { id: integer, name: string, score?: number }[] }[],
    compared: integer, without_looks: integer, more: boolean, unavailable: boolean
  }`,
)

export const libraryShapes: Shapes = {
  search: either(Found, Facets),
  show: shape(
    '{ entry: EntryDetail, lineage?: Lineage, closure?: Closure, dependents?: Dependents, actors?: { sets: LevelSet[], changes: SetPart[] } }',
    {
      ...{ EntryDetail, Lineage, LevelSet, SetPart },
      ...{ Closure: entries.closure.output, Dependents: entries.dependents.output },
    },
  ),
  history: Lineage,
  duplicates: shape('Groups & { look_alikes?: LookAlikes }', { Groups: duplicates.list.output, LookAlikes }),
  send: Sent,
  'jobs list': shape('{ jobs: PullJob[], next_cursor: string | null }', { PullJob }),
  'jobs show': shape('PullJobDetail & Missing', { PullJobDetail, Missing }),
  'jobs cancel': PullJobDetail,
  'jobs refuse': shape('{ refused: PullJobDetail[] }', { PullJobDetail }),
  editors: editorSessions.list.output,
  api: Open,
}
