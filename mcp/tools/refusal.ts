/** A call that is refused in own words. What the refusal is about, when people wrote it, goes beside them. */
import type { ErrorCode } from '../../contract/errors.ts'
import { own, type Said } from './said.ts'
import type { Fields } from './tool.ts'

/** Codes of the library, and those that only tools have. */
export type RefusalCode = ErrorCode | 'AGENT_CALL_LIMIT' | 'NO_PROJECT' | 'SEVERAL_PROJECTS' | 'OUTSIDE_PROJECT'

interface More {
  /** For the fence: names, paths and whatever else the words may not hold. */
  about?: Fields
  /** What to do next, where the code alone does not say it. */
  next?: Said
  /** For programs: the arguments that do not fit. */
  errors?: readonly { path: string; message: string }[]
}

export class ToolRefusal extends Error {
  readonly code: RefusalCode
  readonly said: Said
  readonly more: More

  constructor(code: RefusalCode, words: Said, more: More = {}) {
    super(words.text)
    this.code = code
    this.said = words
    this.more = more
  }
}

/** An argument that does not fit. */
export const wrongInput = (path: Said, why: Said, about?: Fields): ToolRefusal =>
  new ToolRefusal('VALIDATION', own`${path}: ${why}`, {
    ...(about ? { about } : {}),
    errors: [{ path: path.text, message: why.text }],
  })
