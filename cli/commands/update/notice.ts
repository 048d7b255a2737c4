/** The remark that a server hands out a newer `ph`: at most once a day, and only for people at a terminal. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { offeredVersion } from '../../../client/http/offered-version.ts'
import { isCheckout, programFolder } from '../../../client/installation.ts'
import { isLater, readVersion } from '../../../client/version.ts'
import { writeWhole } from '../../../system/whole-file.ts'
import { foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'

/** Said after a command, of what its requests learnt; asks nothing and never fails. */
export async function tellNewerClient(context: Context): Promise<void> {
  const offered = offeredVersion()
  if (offered === undefined || !isForPeople(context) || isCheckout(programFolder()) || !isLater(offered, readVersion())) return
  const today = context.now().toISOString().slice(0, 10)
  const file = join(foldersOf(context).state, 'update-notice.json')
  if (dayIn(file) === today) return
  try {
    await writeWhole(file, (open) => open.writeFile(`${JSON.stringify({ told: today })}\n`), { folderMode: 0o700 })
  } catch {
    // A folder that takes no note would have it said after every command.
    return
  }
  context.out.note(`\nph ${offered} is available; this is ${readVersion()}. Install it with \`ph update\`.`)
}

const isForPeople = ({ env, stdout, stderr, interactive }: Context): boolean =>
  interactive && stdout.isTTY === true && stderr.isTTY === true && !env.CI && !env.PH_NO_UPDATE_NOTICE

function dayIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).told
  } catch {
    return undefined
  }
}
