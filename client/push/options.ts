/** What a push is to do, and what its parts share while it runs. */

import type { Api } from '../http/api.ts'
import type { Http } from '../http/http.ts'
import type { Wire } from '../http/open-http.ts'
import type { TellRemembered } from '../memory/last-push.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { TellPush } from '../progress.ts'
import type { NamedPaths } from '../project/paths.ts'
import type { HeldAnswers } from './held/answers.ts'

export interface PushOptions extends Wire {
  /** Absolute paths of folders and files. */
  paths: string[]
  /** Of these, only what lies in Content folders: the paths are a whole project. */
  contentOnly?: boolean
  /** Name of the pack that new props go into; the library decides otherwise. */
  packName?: string
  /** Label of a variant group that every entry of this push joins. */
  variantGroup?: string
  /** What is new in this push, for people to read. */
  note?: string
  /** Push files of every kind, also those that are no props by their names. */
  all?: boolean
  /** Leave out what named files need. */
  noDeps?: boolean
  /** Ask the library what would happen, and change nothing. */
  dryRun?: boolean
  /** What to do with items that look like new versions of something but do not say so. */
  held?: HeldAnswers
  /** Forget what was answered before for all that this project shares with others: it is held, or asked about, again. */
  askAgain?: boolean
  /** Whether so many parts may be taken away from levels, because they are here no more; more than a few are not otherwise. */
  mayRemove?: (parts: number) => boolean | Promise<boolean>
  remembered?: TellRemembered
  tell?: TellPush
}

export interface PushParts {
  options: PushOptions
  namedPaths: NamedPaths
  http: Http
  api: Api
  memory: ProjectMemory
  /** The file behind them. */
  stateFile: string
  tell: TellPush
  signal: AbortSignal
  /** Ends whatever is on its way. */
  stop: (reason: unknown) => void
}
