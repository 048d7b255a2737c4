/** What a look at one thing found, and a look that always comes to an end. */

/** `problem`: it does not work. `warning`: it does, and may go wrong. `note`: good to know. */
export type Verdict = 'ok' | 'note' | 'warning' | 'problem'

export interface Finding {
  /** What was looked at, in a word or two. */
  check: string
  verdict: Verdict
  /** What was found, as a sentence. */
  said: string
  /** What mends it: a command where there is one. */
  next?: string
}

export const fine = (check: string, said: string): Finding => ({ check, verdict: 'ok', said })
export const note = (check: string, said: string, next?: string): Finding => made('note', { check, said, next })
export const warning = (check: string, said: string, next: string): Finding => made('warning', { check, said, next })
export const fault = (check: string, said: string, next: string): Finding => made('problem', { check, said, next })

const made = (verdict: Verdict, { next, ...rest }: { check: string; said: string; next: string | undefined }): Finding => ({
  ...rest,
  verdict,
  ...(next === undefined ? {} : { next }),
})

/** Longer than this no look takes. */
const mostMs = 10_000

/** The findings of a look, or that it failed, or that it does not come to an end. */
export async function lookAt(
  check: string,
  look: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  let patience: NodeJS.Timeout | undefined
  const endless = new Promise<readonly Finding[]>((resolve) => {
    const said = `It does not answer within ${mostMs / 1000} seconds.`
    patience = setTimeout(
      () => resolve([fault(check, said, 'See whether its disk, its machine or the way to it is in trouble.')]),
      mostMs,
    )
  })
  try {
    return await Promise.race([Promise.resolve().then(look), endless])
  } catch (error) {
    return [
      fault(check, error instanceof Error ? error.message : String(error), 'See the log of the server, or that of the system.'),
    ]
  } finally {
    clearTimeout(patience)
  }
}
