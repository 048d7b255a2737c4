/** The projects that the agent looks after: those that people linked, and those that an editor has open. */
import { readdirSync } from 'node:fs'
import { ClientError } from '../../client/client-error.ts'
import { type LinkedProject, LinkedProjects } from '../../client/desktop/linked-projects.ts'
import type { AgentEditor } from '../../contract/agent-editors.ts'
import { ApiError } from '../../contract/errors.ts'
import { shellWord } from '../../system/shell-word.ts'
import type { EventLog } from '../running/event-log.ts'
import { type Announcement, Editors } from './editors.ts'
import { namedProject, placeBelow } from './named-folder.ts'

export interface Project extends LinkedProject {
  /** By a person; else an editor has announced it. */
  linked: boolean
  editor: AgentEditor | null
}

export interface Link {
  /** Folder or .uproject. */
  path: string
  acceptsImports: boolean
  takesAway: boolean
  autoCheckout: boolean
  engineVersion: string | null
  key: string | undefined
}

export class Projects {
  readonly editors = new Editors()
  readonly #linked: LinkedProjects
  readonly #events: EventLog
  readonly #listeners = new Set<() => void>()
  readonly #looking: NodeJS.Timeout

  /** `server`: address of the workspace that the agent works for. `lookMs`: between looks for editors that are gone. */
  constructor(dir: string, server: string, { events, lookMs }: { events: EventLog; lookMs: number }) {
    this.#linked = new LinkedProjects(dir, server)
    this.#events = events
    this.#looking = setInterval(() => this.#expire(), lookMs)
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

  /** The project that a file or folder lies in, and where in it. */
  at(path: string): { project: Project; file: string } | undefined {
    const projects = new Map(this.list().map((one) => [one.root, one]))
    const { root = '', file = '' } = placeBelow(path, new Set(projects.keys())) ?? {}
    const project = projects.get(root)
    return project && { project, file }
  }

  link({ path, acceptsImports, takesAway, autoCheckout, engineVersion, key }: Link, now: Date): Project {
    const target = namedProject(path, key)
    const other = this.#linked.list().find((one) => one.key === target.project && one.root !== target.root)
    if (other)
      throw new ClientError('PROJECT_LINKED', `The project ${other.key} is linked already, in ${other.root}.`, {
        next: `Unlink that one first: \`ph agent unlink ${shellWord(other.root)}\`.`,
        details: { root: other.root },
      })
    const engine = target.engineVersion ?? engineVersion
    const { root, project, descriptor } = target
    const choices = { acceptsImports, takesAway, autoCheckout, engineVersion: engine }
    this.#linked.save({ root, key: project, ...choices, hasDescriptor: descriptor !== undefined }, now)
    this.#tell('project.linked', { project_key: project, root })
    return this.#get(root)
  }

  /** By its folder, its .uproject or anything in it, whether they are there any more or not. */
  unlink(path: string): string {
    const root = placeBelow(path, new Set(this.#linked.list().map((one) => one.root)))?.root
    if (root === undefined || !this.#linked.remove(root))
      throw new ApiError('NOT_FOUND', `No project is linked in ${path}. \`ph agent status\` lists those that are.`)
    this.#tell('project.unlinked', { root })
    return root
  }

  announce(said: Announcement, now: Date): AgentEditor {
    const { root } = namedProject(said.root, said.project_key)
    const { editor, isNews } = this.editors.announce({ ...said, root }, now)
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
    const choices = { acceptsImports, takesAway: false, autoCheckout: false, engineVersion }
    return { root, key, ...choices, hasDescriptor: false, linked: false, editor: this.editors.in(root) ?? null }
  }

  #expire(): void {
    for (const editor of this.editors.look()) this.#tellGone(editor)
  }

  #tellGone({ project_key, root, session_id }: AgentEditor): void {
    this.#tell('editor.gone', { project_key, root, session_id })
  }

  #tell(event: string, data: Record<string, unknown>): void {
    this.#events.tell(event, data)
    for (const listener of [...this.#listeners]) listener()
  }
}

/**
 * Whether the folder of a project is what it was. Where its disk is not there, an empty folder may stand in its place: nothing is brought into
 * that one, and its files are not taken for removed.
 */
export function isThere({ root, key, hasDescriptor }: Pick<Project, 'root' | 'key' | 'hasDescriptor'>): boolean {
  try {
    const names = readdirSync(root)
    return !hasDescriptor || names.some((name) => name.toLowerCase() === `${key}.uproject`.toLowerCase())
  } catch {
    return false
  }
}

export const goneMessage = ({ key, root }: Pick<Project, 'key' | 'root'>): string =>
  `The project ${key} is not in ${root} any more.`
