/** Files of watched projects. */
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { filesToPush } from '../../client/check-out/files-to-push.ts'
import { giveBack } from '../../client/check-out/give-back.ts'
import { findNamedProps } from '../../client/check-out/named-props.ts'
import { type CheckOutPlan, heldByOthers, planCheckOut } from '../../client/check-out/plan.ts'
import { takeProps } from '../../client/check-out/take.ts'
import type { StatusReport } from '../../client/status/report.ts'
import type { WatchedFile } from '../../contract/agent-files.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Agent } from '../agent.ts'
import type { Project } from '../projects/projects.ts'
import { type Row, watchedFile } from '../watching/file-table.ts'
import { type Question, reasonsOf, standingOf, withProject } from '../watching/why.ts'
import { lockReason } from '../watching/words.ts'
import type { AgentHandlers } from './handler.ts'

/** Longer than any look takes where the server answers at all. */
const lookMs = 60_000

export const agentFiles: AgentHandlers<'agentFiles'> = {
  list: ({ agent, input: { path, all } }) => listFiles(agent, placeAt(agent, path), all ?? false),

  /** Of the very folder: who asks about another one looks for themself. */
  async touched({ agent, input: { path } }) {
    const { walk, touched = [] } = (await agent.watching.of(path)?.heard()) ?? {}
    return { walk: walk ?? null, touched: [...touched] }
  },

  async why({ agent, input: { path } }) {
    const place = placeAt(agent, path)
    const question = questionOf(agent, place, AbortSignal.timeout(lookMs))
    const standing = isFolder(place.path) ? undefined : await standingOf(question)
    if (!standing)
      throw new ApiError(
        'NOT_FOUND',
        isFolder(place.path) ? `${path} is a folder. Name a file in it.` : `There is no file ${path}.`,
      )
    return { file: standing.file, reasons: reasonsOf(await withProject(standing, question), question) }
  },

  async checkOut({ agent, input: { paths, note, ttl_hours } }) {
    const { project, all } = placesAt(agent, paths)
    const { root } = project
    await agent.watching.looks(root).ask(async (api) => {
      const plan = await planCheckOut(all, { wire: agent.wire, api, cwd: root, closure: false })
      refuseHeld(plan, project)
      await takeProps(api, plan, { note: note ?? undefined, ttlHours: ttl_hours ?? undefined })
    })
    return { files: rowsOf(await lookAt(agent, project, all)) }
  },

  async checkIn({ agent, input: { paths, note, keep } }) {
    const { project, all } = placesAt(agent, paths)
    const { wire } = agent
    const { root } = project
    const { push } = await import('../../client/push/push.ts')
    const { back, isPreviewDue } = await agent.watching.looks(root).ask(async (api) => {
      const naming = { wire, api, cwd: root }
      const named = await findNamedProps(all, naming)
      const pushed = await push({ ...wire, paths: filesToPush(named).paths, ...(note ? { note } : {}) })
      const back = await giveBack(named, { ...naming, push: pushed, keep: keep ?? false })
      return { back, isPreviewDue: pushed.previews_due }
    })
    if (isPreviewDue) agent.previews.make(root)
    await lookAt(agent, project, all.filter(existsSync))
    return {
      released: back.released.flatMap(({ files }) => files),
      still_checked_out: back.still_checked_out.flatMap(({ files, because }) => files.map((file) => ({ file, because }))),
    }
  },
}

/** Throws LOCKED with the locks of others. */
function refuseHeld(plan: CheckOutPlan, { root, key: projectKey }: Project): void {
  const locked = heldByOthers(plan)
  const [lock] = locked
  if (!lock) return
  const prop = plan.props.find(({ lineage_id }) => lineage_id === lock.lineage_id)
  const path = join(root, prop?.files[0]?.file ?? prop?.name ?? lock.lineage_id)
  throw new ApiError('LOCKED', lockReason({ file: '', lock, mine: false }, false, { path, projectKey }).message, { locked })
}

export interface PlaceInProject {
  project: Project
  /** Absolute, links resolved as far as it is there. */
  path: string
  /** Below the project's root, with `/`. */
  file: string
}

/** Throws NOT_FOUND where no project that is linked or announced holds it. */
export function placeAt({ projects }: Pick<Agent, 'projects'>, given: string): PlaceInProject {
  const place = isAbsolute(given) ? projects.at(given) : undefined
  if (!place)
    throw new ApiError(
      'NOT_FOUND',
      `${given} lies in no project that the agent watches. Link its project with \`ph agent link\`.`,
    )
  return { ...place, path: join(place.project.root, place.file) }
}

function placesAt(agent: Agent, paths: readonly string[]): { project: Project; all: string[] } {
  const places = paths.map((path) => placeAt(agent, path))
  const [first] = places
  const other = places.find(({ project }) => project.root !== first?.project.root)
  if (!first || other) throw new ApiError('VALIDATION', 'The files lie in several projects. Name those of one.')
  return { project: first.project, all: places.map(({ path }) => path) }
}

export function questionOf(agent: Agent, { project: { root, key }, file }: PlaceInProject, signal: AbortSignal): Question {
  const conflicts = agent.imports.conflicts(key)
  return { root, projectKey: key, file, watch: agent.watching.of(root), looks: agent.watching.looks(root), conflicts, signal }
}

const lookAt = (agent: Agent, { root }: Project, paths: readonly string[]): Promise<StatusReport> =>
  agent.watching.of(root)?.lookAt(paths, AbortSignal.timeout(lookMs)) ?? agent.watching.looks(root).take({ paths, all: true })

/** All files of a report. */
function rowsOf({ root, files, locks }: StatusReport): WatchedFile[] {
  const byFile = new Map(locks.map((lock) => [lock.file, lock]))
  return files.map((known) =>
    watchedFile({ file: known.file, differing: known, lock: byFile.get(known.file) }, { root, isPending: false }),
  )
}

async function listFiles(agent: Agent, { project: { root }, path, file }: PlaceInProject, all: boolean) {
  const watch = agent.watching.of(root)
  if (!watch) return { root, complete: false, as_of: null, files: [] }
  const isBelow = (one: string) => file === '' || one === file || one.startsWith(`${file}/`)
  const rows = new Map<string, { row: Row; known: StatusReport['files'][number] | undefined }>()
  // Who is as the library has it is not kept, so it is looked up, without asking the library.
  const identical = all && existsSync(path) ? (await watch.looks.take({ paths: [path], all: true, remembered: true })).files : []
  for (const known of identical) if (isBelow(known.file)) rows.set(known.file, { row: watch.table.row(known.file), known })
  for (const one of [...watch.table.files(), ...watch.pending()])
    if (isBelow(one)) rows.set(one, { row: watch.table.row(one), known: rows.get(one)?.known })
  const files = [...rows.values()].map(({ row, known }) =>
    watchedFile(row, {
      root,
      isPending: watch.isPending(row.file),
      known: row.differing ?? (known && { ...known, state: 'current' }),
    }),
  )
  files.sort((a, b) => (a.file < b.file ? -1 : 1))
  return { root, complete: watch.isComplete, as_of: watch.asOf?.toISOString() ?? null, files }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
