/** What a look for faults comes to: one line for each thing that was looked at. */

/** `problem`: it does not work. `warning`: it does, and something will go wrong sooner or later. `note`: good to know. */
export type Verdict = 'ok' | 'note' | 'warning' | 'problem'

export interface Finding {
  /** What was looked at, in a word or two. */
  check: string
  verdict: Verdict
  /** What was found, as a sentence. */
  said: string
  /** What fixes it: a command where there is one. */
  next?: string
}

export const fine = (check: string, said: string): Finding => ({ check, verdict: 'ok', said })
export const note = (check: string, said: string, next?: string): Finding => finding({ check, verdict: 'note', said, next })
export const warning = (check: string, said: string, next: string): Finding => ({ check, verdict: 'warning', said, next })
export const fault = (check: string, said: string, next: string): Finding => ({ check, verdict: 'problem', said, next })

const finding = ({ next, ...rest }: Finding): Finding => (next === undefined ? rest : { ...rest, next })
