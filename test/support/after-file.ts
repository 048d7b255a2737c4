/** What is left to do when a test file is over. Vitest's own `afterAll` is forgotten where a hook or a test says it: it counts while a file is read only. */
type Ending = () => unknown

const endings: Ending[] = []

/** What is said last is done first. */
export const afterFile = (ending: Ending): void => void endings.push(ending)

/** Does all of it, also where some of it fails, and throws the first failure. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = []
  for (let ending = endings.pop(); ending; ending = endings.pop())
    try {
      await ending()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
}
