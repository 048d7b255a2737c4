/** Where administrative acts are done: inside the running server, or in a command while none runs. */
import type { Clock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { Database } from '../database/open.ts'
import { objectReader } from '../http/validation.ts'
import { type ActName, type Answers, acts, type InputOf } from './acts.ts'
import { examine } from './doctor/look-at-all.ts'
import { createKey, listKeysOf, revokeKeyOf } from './keys.ts'
import { addSomebody, listEverybody, setPasswordOf, setRole, setStatus } from './people.ts'
import { provisionHere } from './provisioning.ts'

export interface Desk {
  database: Database
  settings: Settings
  clock: Clock
  /** Whether this is the server itself. */
  isServer: boolean
  /** Writes down what was done. */
  record(deed: Deed): void
}

/** For the log: never a secret. */
export interface Deed {
  act: ActName
  /** Who asked: the user of the system, as the command says. */
  by: string
  /** On whom or what. */
  on: Readonly<Record<string, string | number | boolean>>
  at: Date
}

export interface Done<A> {
  answer: A
  on: Deed['on']
}

/** Does one act; its changes are committed when it returns. */
export type Doing<A extends ActName> = (desk: Desk, input: InputOf<A>) => Promise<Done<Answers[A]>>

const doings: { [A in ActName]: Doing<A> } = {
  'user-list': listEverybody,
  'user-add': addSomebody,
  'user-role': setRole,
  'user-status': setStatus,
  'user-password': setPasswordOf,
  'key-list': listKeysOf,
  'key-create': createKey,
  'key-revoke': revokeKeyOf,
  provision: provisionHere,
  examine,
}

const readers = Object.fromEntries(Object.entries(acts).map(([name, { input }]) => [name, objectReader(input)]))

export interface Order<A extends ActName> {
  act: A
  /** Not checked yet. */
  input: unknown
  by: string
}

/** Checks the input, does the act, and records it. What the front door remembers is forgotten by the one who changes it (changingAccess). */
export async function perform<A extends ActName>(desk: Desk, { act, input, by }: Order<A>): Promise<Answers[A]> {
  const checked = readers[act]?.(input ?? {}) as InputOf<A>
  const { answer, on } = await doings[act](desk, checked)
  if (acts[act].isChange) {
    desk.record({ act, by, on, at: desk.clock.now() })
  }
  return answer
}
