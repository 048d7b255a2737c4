/** What administrators did, in the server's log. What was done while no server ran waits in the data folder for the next one. */
import { appendFileSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../monitoring/log.ts'
import type { Provisioned } from '../provision/provision.ts'
import type { Deed } from './desk.ts'
import { isOwnerOf } from './doctor/permissions.ts'

/** Some 50,000 deeds; older ones are told first. */
const mostBytes = 16 * 1024 * 1024

export function logDeed(log: Logger, { act, by, on, at }: Deed): void {
  log.info({ administration: { act, by, on, at: at.toISOString() } }, `${by}: ${act}`)
}

/** What the provisioning file of a start changed. */
export function logProvisioned(log: Logger, { changes, warnings }: Provisioned, at: Date): void {
  const count = (does: string) => changes.filter((change) => change.does === does).length
  const [created, changed] = [count('created'), count('changed')]
  if (created + changed > 0) logDeed(log, { act: 'provision', by: 'the start of the server', on: { created, changed }, at })
  for (const warning of warnings) log.warn(warning)
}

const waitingIn = (dataDir: string): string => join(dataDir, 'administration.jsonl')

/** One line, for the next server on this data folder. False where there is none, where it belongs to someone else, or takes no line. */
export function keepDeed(dataDir: string, deed: Deed): boolean {
  if (!existsSync(dataDir) || !isOwnerOf(dataDir)) return false
  try {
    appendFileSync(waitingIn(dataDir), `${JSON.stringify(deed)}\n`, { mode: 0o600 })
    return true
  } catch {
    return false
  }
}

/** Tells what was kept, once. What cannot be read keeps no server from starting. */
export function tellKeptDeeds(dataDir: string, log: Logger): void {
  try {
    takeAndTell(dataDir, log)
  } catch (error) {
    log.error(
      { err: error },
      `What administrators did meanwhile stands in ${waitingIn(dataDir)}, which cannot be read and removed.`,
    )
  }
}

function takeAndTell(dataDir: string, log: Logger): void {
  const [waiting, taken] = [waitingIn(dataDir), `${waitingIn(dataDir)}.told`]
  if (!existsSync(taken)) {
    if (!existsSync(waiting)) return
    renameSync(waiting, taken)
  }
  for (const line of beginning(taken).split('\n')) {
    const deed = read(line)
    if (deed) logDeed(log, deed)
  }
  rmSync(taken)
}

function beginning(file: string): string {
  const fd = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(mostBytes)
    return bytes.toString('utf8', 0, readSync(fd, bytes))
  } finally {
    closeSync(fd)
  }
}

/** A line that a full disk cut off is passed over. */
function read(line: string): Deed | undefined {
  try {
    const { act, by, on, at } = JSON.parse(line)
    const moment = new Date(at)
    return Number.isNaN(moment.getTime()) ? undefined : { act, by, on, at: moment }
  } catch {
    return undefined
  }
}
