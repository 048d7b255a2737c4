/** A look at one thing, which always comes to an end. */
import { type Finding, fault } from '../../../system/finding.ts'

/** Longer than this no look takes, except one that says so. */
const usualMs = 10_000

/** The findings of a look, or that it failed, or that it does not come to an end. */
export async function lookAt(
  check: string,
  look: () => Promise<readonly Finding[]> | readonly Finding[],
  mostMs = usualMs,
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
