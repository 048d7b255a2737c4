/** What is known of the files of one project: those that are not as the library has them, and those that someone holds. */
import { join, relative, sep } from 'node:path'
import { type FileLock, isSettled, type StatusFile, type StatusReport } from '../../client/status/report.ts'
import type { WatchedFile } from '../../contract/agent-files.ts'
import type { FileState } from '../../contract/file-states.ts'

/** One file as it stands. */
export interface Row {
  file: string
  /** Undefined: it is as the library has it. */
  differing: StatusFile | undefined
  lock: FileLock | undefined
}

/** A file that stands differently than before. */
export interface RowChange {
  before: Row
  after: Row
}

/** What was looked at: everything, or these paths, which are absolute. */
export type Scope = 'all' | readonly string[]

export class FileTable {
  readonly #root: string
  #differing = new Map<string, StatusFile>()
  #locks = new Map<string, FileLock>()
  /** Files of the project, at the last look at all of them. */
  total = 0

  constructor(root: string) {
    this.#root = root
  }

  row = (file: string): Row => ({ file, differing: this.#differing.get(file), lock: this.#locks.get(file) })

  /** Those that differ or are held. */
  files(): Set<string> {
    return new Set([...this.#differing.keys(), ...this.#locks.keys()])
  }

  differing(): Iterable<StatusFile> {
    return this.#differing.values()
  }

  held(): Iterable<FileLock> {
    return this.#locks.values()
  }

  counts() {
    const states = Map.groupBy(this.#differing.values(), ({ state }) => state)
    const count = (...of: FileState[]) => of.reduce((sum, one) => sum + (states.get(one)?.length ?? 0), 0)
    return {
      files: this.total,
      modified: count('modified', 'moved', 'diverged'),
      outdated: count('outdated', 'diverged'),
      untracked: count('untracked'),
      missing: count('missing'),
      held: [...this.#locks.values()].filter(({ mine }) => !mine).length,
    }
  }

  /** `knowsLocks`: a look without the library says nothing of them. */
  take(report: StatusReport, { scope, knowsLocks }: { scope: Scope; knowsLocks: boolean }): RowChange[] {
    const isWithin = this.#within(scope)
    const differing = new Map(report.files.flatMap((one) => (isSettled(one.state) ? [] : [[one.file, one] as const])))
    const locks = new Map(report.locks.map((one) => [one.file, one]))
    for (const [file, one] of this.#differing) if (!isWithin(file) && !differing.has(file)) differing.set(file, one)
    for (const [file, one] of this.#locks) if (!(isWithin(file) && knowsLocks) && !locks.has(file)) locks.set(file, one)
    if (scope === 'all') this.total = totalOf(report)
    return this.#become(differing, locks)
  }

  takeLocks(locks: readonly FileLock[]): RowChange[] {
    return this.#become(this.#differing, new Map(locks.map((one) => [one.file, one])))
  }

  #become(differing: Map<string, StatusFile>, locks: Map<string, FileLock>): RowChange[] {
    const before = { differing: this.#differing, locks: this.#locks }
    this.#differing = differing
    this.#locks = locks
    const touched = new Set([...before.differing.keys(), ...before.locks.keys(), ...differing.keys(), ...locks.keys()])
    return [...touched].flatMap((file) => {
      const was: Row = { file, differing: before.differing.get(file), lock: before.locks.get(file) }
      const after = this.row(file)
      return standing(was) === standing(after) ? [] : { before: was, after }
    })
  }

  #within(scope: Scope): (file: string) => boolean {
    if (scope === 'all') return () => true
    const named = new Set(scope.map((path) => relative(this.#root, path).split(sep).join('/')))
    return (file) => {
      if (named.has(file) || named.has('')) return true
      for (let at = file.lastIndexOf('/'); at !== -1; at = file.lastIndexOf('/', at - 1))
        if (named.has(file.slice(0, at))) return true
      return false
    }
  }
}

const totalOf = ({ summary }: StatusReport): number => {
  const { missing, ...there } = summary
  return Object.values(there).reduce((sum, amount) => sum + amount, 0)
}

/** What makes a difference to who looks at it. */
const standing = ({ differing, lock }: Row): string =>
  JSON.stringify([differing?.state, differing?.face_object_id, lock?.lock.holder.id, lock?.lock.expires_at])

export const isEdited = ({ differing }: Row): boolean =>
  differing?.state === 'modified' || differing?.state === 'moved' || differing?.state === 'diverged'

export function watchedFile(
  { file, differing, lock }: Row,
  { root, isPending, known }: { root: string; isPending: boolean; known?: StatusFile | undefined },
): WatchedFile {
  const seen = known ?? differing
  return {
    file,
    path: join(root, file),
    state: isPending ? 'pending' : (seen?.state ?? 'current'),
    entry_id: seen?.entry_id ?? null,
    lineage_id: seen?.lineage_id ?? lock?.lock.lineage_id ?? null,
    held_by: lock?.lock.holder ?? null,
    held_until: lock?.lock.expires_at ?? null,
    held_note: lock?.lock.note ?? null,
    mine: lock?.mine ?? false,
  }
}
