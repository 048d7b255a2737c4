/** The projects that the agent looks after: those that people linked, and those that an editor has open. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { findTarget, type PullTarget } from '../../client/pull/target-project.ts'
import type { AgentEditor } from '../../contract/agent-editors.ts'
import { ApiError } from '../../contract/errors.ts'
import type { EventLog } from '../running/event-log.ts'
import { type Announcement, Editors } from './editors.ts'
import { type LinkedProject, LinkedProjects } from './linked.ts'

export interface Project extends LinkedProject {
  /** By a person; else an editor has announced it. */
  linked: boolean
  editor: AgentEditor | null
}

export interface Link {
  /** Folder or .uproject. */
  path: string
  acceptsImports: boolean
  autoCheckout: boolean
  engineVersion: string | null
  key: string | undefined
}

const lookForGoneMs = 5000

export class Projects {
  readonly editors = new Editors()
  readonly #linked: LinkedProjects
  readonly #events: EventLog
  readonly #listeners = new Set<() => void>()
  readonly #looking: NodeJS.Timeout

  constructor(dir: string, events: EventLog) {
    this.#linked = new LinkedProjects(dir)
    this.#events = events
    this.#looking = setInterval(() => this.#expire(), lookForGoneMs)
    this.#looking.unref()
  }

  get wasDamaged(): boolean {
    return this.#linked.wasDamaged
  }

  /** Linked ones, then those that only an editor brings. */
  list(): Project[] {
    const linked = this.#linked.list().map((one) => this.#withEditor(one))
    const roots = new Set(linked.map(({ root }) => root))
    const announced = new Map<string, Project>()
    for (const editor of this.editors.list()) if (!roots.has(editor.root)) announced.set(editor.root, this.#onlyAnnounced(editor))
    return [...linked, ...announced.values()]
  }

  /** The project that a file or folder lies in. */
  at(path: string): Project | undefined {
    const roots = new Map(this.list().map((one) => [one.root, one]))
    for (let folder = path; ; folder = dirname(folder)) {
      const found = roots.get(folder)
      if (found || folder === dirname(folder)) return found
    }
  }

  link({ path, acceptsImports, autoCheckout, engineVersion, key }: Link, now: Date): Project {
    const target = targetOf(path, key)
    const other = this.#linked.list().find((one) => one.key === target.project && one.root !== target.root)
    if (other)
      throw new ApiError('CONFLICT', `The project ${other.key} is linked already, in ${other.root}. Unlink that one first.`, {
        root: other.root,
      })
    const engine = target.engineVersion ?? engineVersion
    this.#linked.save({ root: target.root, key: target.project, acceptsImports, autoCheckout, engineVersion: engine }, now)
    this.#tell('project.linked', { project_key: target.project, root: target.root })
    return this.#get(target.root)
  }

  unlink(path: string): string {
    const { root } = targetOf(path, this.#linked.list().find((one) => one.root === path)?.key)
    if (!this.#linked.remove(root)) throw new ApiError('NOT_FOUND', `No project is linked in ${root}.`)
    this.#tell('project.unlinked', { root })
    return root
  }

  announce(said: Announcement, nowMs: number): AgentEditor {
    const { root } = targetOf(said.root, said.project_key)
    const { editor, isNews } = this.editors.announce({ ...said, root }, nowMs)
    if (isNews) this.#tell('editor.announced', { project_key: editor.project_key, root, session_id: editor.session_id })
    return editor
  }

  leave(sessionId: string): void {
    const editor = this.editors.leave(sessionId)
    if (editor) this.#tellGone(editor)
  }

  /** Called when a project or an editor comes, goes or changes; gives what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    clearInterval(this.#looking)
    this.#linked.close()
  }

  #get(root: string): Project {
    const found = this.list().find((one) => one.root === root)
    if (!found) throw new Error(`the project in ${root} was just linked and is not there`)
    return found
  }

  #withEditor(one: LinkedProject): Project {
    return { ...one, linked: true, editor: this.editors.in(one.root) ?? null }
  }

  #onlyAnnounced(editor: AgentEditor): Project {
    const { root, project_key: key, accepts_imports: acceptsImports, engine_version: engineVersion } = editor
    return { root, key, acceptsImports, autoCheckout: false, engineVersion, linked: false, editor: this.editors.in(root) ?? null }
  }

  #expire(): void {
    for (const editor of this.editors.expire(Date.now())) this.#tellGone(editor)
  }

  #tellGone({ project_key, root, session_id }: AgentEditor): void {
    this.#tell('editor.gone', { project_key, root, session_id })
  }

  #tell(event: string, data: Record<string, unknown>): void {
    this.#events.tell(event, data)
    for (const listener of [...this.#listeners]) listener()
  }
}

/** With links resolved. Throws ClientError `NO_PROJECT`, `SEVERAL_PROJECTS`, `PATH_NOT_FOUND`. */
function targetOf(path: string, key: string | undefined): PullTarget {
  const folder = /\.uproject$/i.test(path) ? dirname(path) : path
  if (!existsSync(folder)) throw new ClientError('PATH_NOT_FOUND', `There is no ${folder}.`)
  return findTarget({ cwd: folder, into: folder, ...(key === undefined ? {} : { project: key }) })
}
