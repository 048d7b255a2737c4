/** Editors that have announced themselves: each for a minute, and again and again while it runs. */
import type { AgentEditor } from '../../contract/agent-editors.ts'
import { limits } from '../../contract/limits.ts'

/**
 * An editor that says nothing for so many looks, a minute, is taken for closed. They are counted, not timed: clocks are set, and a machine that slept
 * has to hear its editors first.
 */
const leaseLooks = 12

export interface Announcement {
  session_id: string
  project_key: string
  /** Absolute, links resolved. */
  root: string
  engine_version: string | null
  plugin_version: string | null
  accepts_imports: boolean
  default_root: string | null
  /** Undefined: as said before. */
  open: readonly string[] | undefined
}

interface Present {
  editor: AgentEditor
  looksLeft: number
}

export class Editors {
  readonly #present = new Map<string, Present>()

  /** Says whether anything about it is new. */
  announce({ open, ...said }: Announcement, now: Date): { editor: AgentEditor; isNews: boolean } {
    const before = this.#present.get(said.session_id)?.editor
    const announced_at = before?.announced_at ?? now.toISOString()
    const editor: AgentEditor = { ...said, announced_at, open: [...(open ?? before?.open ?? [])] }
    this.#present.set(said.session_id, { editor, looksLeft: leaseLooks })
    return { editor, isNews: JSON.stringify(before) !== JSON.stringify(editor) }
  }

  leave(sessionId: string): AgentEditor | undefined {
    const editor = this.#present.get(sessionId)?.editor
    this.#present.delete(sessionId)
    return editor
  }

  /** One look, every five seconds: removes those that said nothing in time, and gives them. */
  look(): AgentEditor[] {
    const gone = [...this.#present.values()].filter((one) => --one.looksLeft <= 0)
    for (const { editor } of gone) this.#present.delete(editor.session_id)
    return gone.map(({ editor }) => editor)
  }

  get(sessionId: string): AgentEditor | undefined {
    return this.#present.get(sessionId)?.editor
  }

  /** Notes that a package was opened in it. */
  opened(sessionId: string, name: string): void {
    const editor = this.#present.get(sessionId)?.editor
    if (!editor || editor.open.includes(name)) return
    editor.open.push(name)
    // An editor says what it has open once in a while; one that never does is not remembered whole.
    if (editor.open.length > limits.agent.openPackages) editor.open.shift()
  }

  list(): AgentEditor[] {
    return [...this.#present.values()].map(({ editor }) => editor)
  }

  /** The one that was announced last for a folder. */
  in(root: string): AgentEditor | undefined {
    return this.list().findLast((editor) => editor.root === root)
  }
}
