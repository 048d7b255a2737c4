/** Taking back what a pull took away from a project on this machine: files whose props lie elsewhere now go back to their old places. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { putBack } from '../pull/placing/set-aside.ts'
import type { NewChange } from './journal.ts'
import type { Part, Rows } from './row.ts'

/** No route of the library: what was changed lies on this disk. */
const route = 'files.takenAway'

interface TakenAwayFiles {
  /** Folder of the project. */
  root: string
  /** Both below it, with `/`. */
  files: { file: string; backup: string }[]
}

/** The change that is remembered of it. */
export const takenAwayChange = (what: string, { root, files }: TakenAwayFiles): Omit<NewChange, 'at'> => ({
  what,
  calls: [{ route, kept: { root, files: files.map(({ file, backup }) => ({ file, backup })) } }],
  stays: [],
  push: null,
})

export const takenAway: Rows = {
  [route]: {
    keep: () => undefined,
    back: async ({ root, files }: TakenAwayFiles): Promise<Part[]> => files.map((one) => partOf(root, one)),
  },
}

function partOf(root: string, { file, backup }: TakenAwayFiles['files'][number]): Part {
  const [from, to] = [join(root, backup), join(root, file)]
  if (!existsSync(from)) return { what: file, refused: 'Its backup is not there any more: it was kept for 30 days.' }
  if (existsSync(to)) return { what: file, refused: `Another file lies there by now. The old one is ${backup}.` }
  return {
    what: `${file}: in its old place again`,
    act: async () => {
      mkdirSync(dirname(to), { recursive: true })
      if (!putBack(from, to)) throw new Error(`${to} is there by now.`)
    },
  }
}
