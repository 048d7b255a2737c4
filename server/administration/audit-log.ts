/** The audit log: what operators did, in the server's log. What was done while no server ran waits in the data folder for the next one. */
import { appendFileSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../monitoring/log.ts'
import type { Provisioned } from '../provision/provision.ts'
import { isOwnerOf } from './doctor/permissions.ts'

export type AuditedAct = `user-${'add' | 'role' | 'status' | 'release' | 'password'}` | `key-${'create' | 'revoke'}` | 'provision'

/** One line of the audit log: never a secret. */
export interface AuditRecord {
  act: AuditedAct
  /** Who asked: the user of the system, as the command says. */
  by: string
  /** On whom or what. */
  on: Readonly<Record<string, string | number | boolean>>
  at: Date
}

export type Audit = (act: AuditedAct, on: AuditRecord['on']) => void

/** Some 50,000 records; older ones are told first. */
const mostBytes = 16 * 1024 * 1024

export function logRecord(log: Logger, { act, by, on, at }: AuditRecord): void {
  log.info({ administration: { act, by, on, at: at.toISOString() } }, `${by}: ${act}`)
}

/** What the provisioning file of a start changed. */
export function logProvisioned(log: Logger, { changes, warnings }: Provisioned, at: Date): void {
  const count = (does: string) => changes.filter((change) => change.does === does).length
  const [created, changed] = [count('created'), count('changed')]
  if (created + changed > 0) logRecord(log, { act: 'provision', by: 'the start of the server', on: { created, changed }, at })
  for (const warning of warnings) log.warn(warning)
}

const waitingIn = (dataDir: string): string => join(dataDir, 'administration.jsonl')

/** One line, for the next server on this data folder. False where there is none, where it belongs to someone else, or takes no line. */
export function keepRecord(dataDir: string, record: AuditRecord): boolean {
  if (!existsSync(dataDir) || !isOwnerOf(dataDir)) return false
  try {
    appendFileSync(waitingIn(dataDir), `${JSON.stringify(record)}\n`, { mode: 0o600 })
    return true
  } catch {
    return false
  }
}

/** Tells what was kept, once. What cannot be read keeps no server from starting. */
export function tellKeptRecords(dataDir: string, log: Logger): void {
  try {
    takeAndTell(dataDir, log)
  } catch (error) {
    log.error(
      { err: error },
      `The audit log of what administrators did meanwhile is in ${waitingIn(dataDir)}, and could not be read and removed.`,
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
    const record = read(line)
    if (record) logRecord(log, record)
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
function read(line: string): AuditRecord | undefined {
  try {
    const { act, by, on, at } = JSON.parse(line)
    const moment = new Date(at)
    return Number.isNaN(moment.getTime()) ? undefined : { act, by, on, at: moment }
  } catch {
    return undefined
  }
}
