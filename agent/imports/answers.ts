/** Answers to conflicts, while the import asks and at any later time: the pending version is imported, or dropped. */
import type { Api } from '../../client/http/api.ts'
import type { AgentConflict } from '../../contract/agent-imports.ts'
import { ApiError } from '../../contract/errors.ts'
import { goneMessage, type Project } from '../projects/projects.ts'
import type { KeptConflict } from './conflict-file.ts'
import type { Answer, Conflicts } from './conflicts.ts'
import type { ImportOrder, ImportRun } from './import-run.ts'
import type { ImportQueue } from './queue.ts'
import { takeWaiting } from './take-waiting.ts'

/** The parts of the imports that answers use. */
interface AnswerParts {
  api: Api
  queueOf(root: string): ImportQueue | undefined
  isPaused(): boolean
  isThere(project: Project): boolean
  run(queue: ImportQueue, order: ImportOrder, signal: AbortSignal): Promise<ImportRun>
  pump(): void
}

export class Answers {
  readonly #conflicts: Conflicts
  readonly #parts: AnswerParts
  /** Versions that waited and are brought now, by the id of their conflict. */
  readonly #takes = new Map<number, Promise<AgentConflict>>()

  constructor(conflicts: Conflicts, parts: AnswerParts) {
    this.#conflicts = conflicts
    this.#parts = parts
  }

  async answer(id: number, answer: Answer): Promise<AgentConflict> {
    this.#conflicts.settleElsewhere()
    const found = this.#conflicts.get(id)
    const under = this.#takes.get(id)
    if (under && answer === 'keep_local')
      throw new ApiError('CONFLICT', `${found.file} is being replaced at this moment, as was answered before.`)
    if (under) return under
    if (found.state !== 'waiting') return this.#conflicts.answer(id, answer)
    if (answer === 'keep_local') return this.#conflicts.end(found, answer, null)
    const taking = this.#take(found).finally(() => this.#takes.delete(id))
    this.#takes.set(id, taking)
    return taking
  }

  async #take(found: KeptConflict): Promise<AgentConflict> {
    const { api, queueOf, isPaused, isThere, run, pump } = this.#parts
    const queue = queueOf(found.root)
    const again = `then answer again: \`ph agent answer ${found.id} --take\`.`
    if (!queue)
      throw new ApiError('UNAVAILABLE', `${found.root} is not linked any more. Link it with \`ph agent link\`, ${again}`)
    if (isPaused()) throw new ApiError('UNAVAILABLE', `Imports are paused. Go on with \`ph agent resume\`, ${again}`)
    return new Promise((resolve, reject) => {
      queue.add(async (signal) => {
        const take = async () => {
          if (!isThere(queue.project)) throw new ApiError('UNAVAILABLE', `${goneMessage(queue.project)} Put it back, ${again}`)
          return takeWaiting(found, { api, conflicts: this.#conflicts, run: (order) => run(queue, order, signal) })
        }
        await take().then(resolve, (error) => {
          queue.left()
          reject(error)
        })
      })
      pump()
    })
  }
}
