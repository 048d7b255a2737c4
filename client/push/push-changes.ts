/** A push that has something to do: reads what is new, plans, sends, and remembers. Loaded only when there is. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { ClientError } from '../client-error.ts'
import { isExecutable, nameExecutables, type SortedFiles } from '../memory/changes.ts'
import { type FeedPosition, followOwnFeed } from '../memory/feed.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import { type ChangedFiles, readChanged } from '../memory/read-changed.ts'
import { gone } from '../project/fingerprint.ts'
import { PackageSearch } from '../project/package-search.ts'
import { pluginFinder } from '../project/plugins.ts'
import type { Problem } from '../project/problem.ts'
import { type PushFile, pathOf } from '../project/project-file.ts'
import type { FoundFile } from '../project/scan.ts'
import { findDescriptor } from '../project/unreal-project.ts'
import { answerHeld, rememberHeld, withoutStayed } from './held/answers.ts'
import { describeHeld } from './held/description.ts'
import { askAboutPaths, missingPackages, redirectorsOf } from './library-packages.ts'
import type { PushParts } from './options.ts'
import { originName, sourcePathsOf } from './origin.ts'
import { findOtherNames } from './other-names.ts'
import { type PushPlan, planPush } from './plan/plan.ts'
import { redirectorsOutside } from './redirectors-outside.ts'
import { renameMoved } from './rename-moved.ts'
import { type AnsweredBefore, type PushedItem, type PushReport, recalledProblems } from './report.ts'
import { describeReverted, toProblem } from './reverted.ts'
import { PushRound } from './send/round.ts'
import { ThumbnailUploader } from './send/thumbnails.ts'
import { Uploader } from './send/upload.ts'

/** What work adds to a report. */
export interface WorkDone extends Pick<PushReport, 'items' | 'problems' | 'unchanged' | 'bytes'> {
  thumbnails: number
  answeredBefore: AnsweredBefore[]
}

interface Done {
  plan: PushPlan
  round: PushRound
  thumbnails: ThumbnailUploader
  position: FeedPosition | undefined
  files: PushFile[]
  /** What follows from the files themselves, and stays true as long as they do. */
  problems: Problem[]
}

/**
 * Files that share a GUID or a name with a file that is to be sent, and hold something else: which of them it belongs to can
 * only be decided when all are there.
 */
function rivalsOf({ found, hash, known, facts, naming }: PushFile, memory: ProjectMemory): string[] {
  if (known?.settled) return []
  const guid = facts.kind === 'package' ? facts.guid : null
  const rivals = [
    ...(guid === null ? [] : memory.findByGuid(guid)),
    ...(naming.originPath === null ? [] : memory.findByPackage(naming.originPath.toLowerCase())),
  ]
  return rivals.flatMap((rival) => (rival.file === found.file || rival.hash === hash || rival.stat === gone ? [] : rival.file))
}

/** So many parts go without a question. */
const mostUnasked = 20

/** A push that takes many parts away may come of a folder that is not there. Fails with PARTS_GONE where they may not go. */
async function requireRemoval({ toSend }: PushPlan, { mayRemove }: PushParts['options']): Promise<void> {
  const levels = toSend.filter(({ level }) => level && level.remove.length > 0)
  const parts = levels.reduce((sum, { level }) => sum + (level?.remove.length ?? 0), 0)
  if (parts <= mostUnasked || (await mayRemove?.(parts))) return
  const files = levels.map(({ files: [file] }) => pathOf(file))
  const where = files.length === 1 ? files[0] : `${files[0]} and ${files.length - 1} other levels`
  throw new ClientError(
    'PARTS_GONE',
    `${parts} actors of ${where} are not on this disk any more, and the push would take them away in the library. Nothing was sent.`,
    { details: { parts, levels: files } },
  )
}

function withFormerName(item: PushedItem, renamed: ReadonlyMap<string, string>): PushedItem {
  const renamed_from = renamed.get(item.content_hash)
  return renamed_from === undefined ? item : { ...item, renamed_from }
}

export class PushWork {
  readonly #parts: PushParts

  constructor(parts: PushParts) {
    this.#parts = parts
  }

  async run(sorted: SortedFiles, position: FeedPosition | undefined): Promise<WorkDone> {
    const { options, tell } = this.#parts
    // Short-lived objects then fill 2 MiB before they are collected, not 48: a push keeps a third less memory and is no slower.
    setFlagsFromString('--semi-space-growth-factor=1')
    tell({ kind: 'phase', phase: 'read' })
    const changed = await this.#readAll(sorted)
    const search = this.#search(changed.files)
    const plan = await this.#plan(changed.files, search)
    if (!options.dryRun) await requireRemoval(plan, options)
    tell({ kind: 'phase', phase: 'send' })
    const { round, sent, thumbnails, answeredBefore } = await this.#sendPlanned(plan)
    const renamed = options.dryRun ? new Map<string, string>() : await renameMoved(round, this.#parts)
    const reports = round.outcomes.reports().map((item) => withFormerName(item, renamed))
    const lasting = [...plan.problems, ...thumbnails.result.problems]
    if (!options.dryRun) await this.#settle({ plan, round, thumbnails, position, files: changed.files, problems: lasting })
    return {
      problems: [...changed.problems, ...round.problems, ...(await this.#findMore(round)), ...lasting],
      unchanged: plan.settled.length,
      items: await describeHeld(reports, this.#parts.api),
      answeredBefore: withoutStayed(answeredBefore, reports),
      thumbnails: thumbnails.result.uploaded,
      bytes: { read: changed.read.bytes, uploaded: sent.bytes, ...(options.dryRun ? { to_upload: round.missingBytes } : {}) },
    }
  }

  /** Reads what was found; then what the named files among it need, and what claims to be the same as something new. */
  async #readAll(sorted: SortedFiles): Promise<ChangedFiles> {
    const { namedPaths, options, memory } = this.#parts
    const changed = await readChanged(sorted.props, { ...this.#parts, root: namedPaths.root })
    const seen = new Set([...sorted.props.map(({ file }) => file), ...sorted.executables])
    const search = this.#search(changed.files)
    const add = async (found: FoundFile[]): Promise<PushFile[]> => {
      const unseen = found.filter(({ file }) => !seen.has(file) && seen.add(file))
      const [executables = [], others = []] = [true, false].map((no) => unseen.filter((one) => isExecutable(one) === no))
      const more = await readChanged(others, { ...this.#parts, root: namedPaths.root })
      changed.files.push(...more.files)
      changed.problems.push(...more.problems, ...nameExecutables(executables.map(({ file }) => file)))
      changed.read.bytes += more.read.bytes
      return more.files
    }
    const named = new Set(namedPaths.starts.filter(({ isFolder }) => !isFolder).map(({ path }) => path))
    let open =
      options.noDeps || named.size === 0 ? [] : changed.files.filter((file) => named.has(join(namedPaths.root, pathOf(file))))
    while (open.length > 0) open = await add((await Promise.all(open.map((file) => search.findNeeds(file)))).flat())
    if (memory.count() > seen.size) {
      const read = (found: FoundFile[]) => readChanged(found, { ...this.#parts, root: namedPaths.root })
      await add(await redirectorsOutside(changed.files, { memory, search, seen, read }))
      await add(changed.files.flatMap((file) => rivalsOf(file, memory).flatMap((rival) => search.findFile(rival) ?? [])))
    }
    return changed
  }

  /** Plans; and again where the library turns out to have something at the path of what is not on this disk, or to refer to redirectors. */
  async #plan(files: readonly PushFile[], search: PackageSearch): Promise<PushPlan> {
    const { api, namedPaths } = this.#parts
    const options = { ...this.#parts.options, sourcePathOf: sourcePathsOf(namedPaths) }
    const elsewhere = this.#elsewhere(search)
    const plan = planPush(files, elsewhere, options)
    const { there, referred } = await askAboutPaths(api, {
      missing: missingPackages(plan.problems),
      redirectors: redirectorsOf(plan),
    })
    const told = { ...elsewhere, isAtPath: (name: string) => there.has(name), isReferred: (name: string) => referred.has(name) }
    return there.size + referred.size === 0 ? plan : planPush(files, told, options)
  }

  /** What only the library's answers tell of files that are there already. */
  async #findMore(round: PushRound): Promise<Problem[]> {
    const { api } = this.#parts
    const there = round.outcomes.withStatus('dedup').filter(({ report }) => !round.reverted.has(report.content_hash))
    const reverted = await describeReverted(round.reverted.values(), api)
    return [...reverted.map(toProblem), ...(await findOtherNames(there, api))]
  }

  #search = (files: readonly PushFile[]): PackageSearch =>
    new PackageSearch(this.#parts.namedPaths.root, [...new Set(files.map(({ found }) => found.mount))])

  #elsewhere(search: PackageSearch) {
    const { memory, namedPaths } = this.#parts
    return {
      inLibrary: (name: string) => memory.findByPackage(name).find(({ base }) => base)?.base?.hash,
      isAtPath: () => false,
      isReferred: () => false,
      onDisk: (name: string) => {
        const known = memory.findByPackage(name).find(({ file }) => existsSync(join(namedPaths.root, file)))
        return known?.file ?? search.findPackage(name)?.file
      },
      partsOf: (lineageId: string) => memory.levels.find(lineageId),
      isHere: (file: string) => existsSync(join(namedPaths.root, file)),
      pluginOf: pluginFinder({ root: namedPaths.root, descriptor: findDescriptor(namedPaths.root) }),
    }
  }

  async #sendPlanned(plan: PushPlan) {
    const { http, api, tell, signal, memory, stateFile, options, namedPaths, stop } = this.#parts
    const uploader = new Uploader({ http, api, tell, signal })
    const thumbnails = new ThumbnailUploader({ http, api, root: namedPaths.root, tell, signal })
    const { max_items: maxItems } = plan.toSend.length > 0 ? await api.push.limits() : { max_items: 1 }
    const { variantGroup, note, remembered, dryRun = false } = options
    // Before anything is registered: who is killed then makes the previews with the next push.
    if (plan.toSend.length > 0 && !dryRun) memory.remember('previews', randomUUID())
    const { root } = namedPaths
    const about = { note, project: originName(root) }
    const bases = { memory, api, others: { stateFile, address: options.url } }
    const sending = { root, api, bases, uploader, thumbnails, memory, tell, maxItems }
    const round = new PushRound({ ...sending, variantGroup, about, remembered, dryRun, stop })
    await round.run(plan.toSend)
    const answeredBefore = await answerHeld(round, options.held, { root, memory, askAgain: options.askAgain, dryRun })
    if (!dryRun) {
      rememberHeld(round, memory)
      round.end()
    }
    return { round, thumbnails, sent: uploader.sent, answeredBefore }
  }

  /**
   * Remembers what needs nothing more, and up to which point of the library's history that was seen. The position comes last:
   * who is killed before has an older one, from which everything is found again.
   */
  async #settle(done: Done): Promise<void> {
    const { plan, round, thumbnails, position, problems } = done
    const { memory } = this.#parts
    const news = position && (await followOwnFeed(this.#parts.api, position, plan.toSend.length))
    const items = plan.toSend.filter(({ item }) => round.isComplete(item.content_hash, thumbnails.result.done))
    // What was settled before stays so: it is not written again.
    const settled = [...plan.leftOut, ...items.flatMap((one) => one.files)]
    const files = settled.filter(({ hash }) => !plan.untold.has(hash))
    const seen = new Set(done.files.map(pathOf))
    const others = recalledProblems(memory).filter((one) => !one.files.some((file) => seen.has(file)))
    memory.settle(files.map((file) => ({ file: pathOf(file), hash: file.hash })))
    memory.remember('problems', [...others, ...problems])
    if (news) memory.forgetObjects(news.goneObjects, news.goneEntries)
    memory.remember('feed', news?.position ?? null)
  }
}
