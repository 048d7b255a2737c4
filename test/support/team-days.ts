/**
 * Days of a team, seeded: people at machines of their own and a build machine, two games with the same paths or out of one template, a level in each. They edit, add,
 * rename, push, get the latest, restore and change branches; after each step what a team relies on is looked at.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { callAs } from './api.ts'
import { pick, seeded } from './random-library.ts'
import { runAdvised } from './team-advice.ts'
import { lostEdits } from './team-checks.ts'
import { deleteEntry, getLatest, push, restore, send, undo, useLocks } from './team-commands.ts'
import { add, changeActors, changeBranch, deleteFile, edit, guidOf, rename } from './team-edits.ts'
import { hashOf, inThisProcess, levelOf, Machine, nameOf, type RunPh } from './team-machine.ts'
import { type Common, type Found, Turn } from './team-turn.ts'
import type { Packages } from './unreal-project.ts'

export interface TeamSetting {
  url: string
  /** Of people, in turn; the last is of the build machine, which only gets the latest and pushes. */
  keys: readonly string[]
  /** Those of them that may delete entries. */
  admins: readonly string[]
  seed: number
  steps: number
  /** Else it is run in this process. */
  run?: RunPh
  /** What befalls a team now and then, where its commands and its server are processes. */
  accidents?: Accidents
}

export interface Accidents {
  /** Kills the command so many milliseconds after its start, where it still runs. */
  killed(words: readonly string[], where: Machine['where'], afterMs: number): Promise<void>
  /** Kills the server; another one is started. */
  serverKilled(): Promise<void>
  /** What the library is set back to. */
  backUp(): Promise<void>
  restore(): Promise<void>
}

export interface TeamFault {
  step: number
  what: string
  /** The steps that led there. */
  log: string[]
}

/** So many of the last steps are told: what was done long before is seen by running the seed again. */
const mostSteps = 120

/** What was found wrong, and what led there, as it is printed; undefined where nothing was. */
export const toldFault = (fault: TeamFault | undefined): string | undefined =>
  fault && `step ${fault.step}: ${fault.what}\n${fault.log.slice(-mostSteps).join('\n')}`

const template: Packages = {
  'Content/Shared/M_Wood.uasset': {},
  'Content/Shared/T_Grain.uasset': {},
  'Content/Shared/SM_Crate.uasset': { imports: ['/Game/Shared/M_Wood'] },
  'Content/Shared/SM_Barrel.uasset': { imports: ['/Game/Shared/M_Wood', '/Game/Shared/T_Grain'] },
}
/** What both games begin with, byte for byte; or, at the same paths in each, props of its own. */
const templateOf = (game: string, isShared: boolean): Packages =>
  Object.fromEntries(
    Object.entries(template).map(([file, spec]) => {
      const whose = isShared ? file : `${game} ${file}`
      return [file, { ...spec, guid: guidOf(whose), payload: Buffer.from(whose) }]
    }),
  )
/** What a turn may be, and how often of a hundred times. */
const often: readonly [times: number, kind: (turn: Turn) => Promise<Found>][] = [
  [24, getLatest],
  [16, push],
  [6, runAdvised],
  [10, edit],
  [7, add],
  [6, changeActors],
  [6, rename],
  [4, restore],
  [4, deleteEntry],
  [3, deleteFile],
  [4, undo],
  [6, useLocks],
  [2, send],
  [4, changeBranch],
]
const kinds = often.flatMap(([times, kind]) => Array.from({ length: times }, () => kind))
/** The build machine does these alone. */
const ofBuild = [getLatest, push, runAdvised]

/** Runs one seed; gives what was found wrong, at the first step where something was. */
export async function runTeam(setting: TeamSetting): Promise<TeamFault | undefined> {
  return new Team(setting).run()
}

class Team {
  readonly #common: Common
  readonly #setting: TeamSetting
  #count = 0
  #isBackedUp = false

  constructor(setting: TeamSetting) {
    this.#setting = setting
    const { url, keys, admins, seed, run = inThisProcess } = setting
    const machines = keys.map((key, at) => {
      const name = at === keys.length - 1 ? 'build' : `person${at}`
      return new Machine(name, at % 3 === 2 ? 'Castle' : 'Tavern', { url, key, run, isAdmin: admins.includes(key) })
    })
    const api = callAs(url, keys[0] ?? '')
    this.#common = { seed, random: seeded(seed), machines, api, log: [], next: () => this.#count++ }
  }

  async run(): Promise<TeamFault | undefined> {
    const { random, machines, log } = this.#common
    await this.#begin()
    for (let step = 0; step < this.#setting.steps; step++) {
      const what = await this.#step(new Turn(pick(random, machines), this.#common))
      if (what !== undefined) return { step, what, log }
    }
    return undefined
  }

  /** Two games are begun, for every other seed out of one template; everybody else gets the latest of theirs. */
  async #begin(): Promise<void> {
    const { seed, machines } = this.#common
    for (const game of ['Tavern', 'Castle']) {
      const first = machines.find((machine) => machine.game === game)
      const imports = ['/Game/Shared/SM_Crate', '/Game/Shared/SM_Barrel']
      await first?.save({ ...templateOf(game, seed % 2 === 0), [levelOf(game)]: { imports } })
      await first?.run('push --held new')
    }
    for (const machine of machines) if (machine.packages.length === 0) await machine.run(`pull ${nameOf(levelOf(machine.game))}`)
  }

  async #step(turn: Turn): Promise<Found> {
    const { accidents } = this.#setting
    if (accidents && turn.random(100) < 4) return this.#accident(turn, accidents)
    const kind = turn.pick(kinds) ?? getLatest
    return turn.machine.name !== 'build' || ofBuild.includes(kind) ? kind(turn) : undefined
  }

  async #accident(turn: Turn, accidents: Accidents): Promise<Found> {
    const kind = turn.random(10)
    if (kind < 6) {
      const line = turn.pick(['push', `pull ${turn.levelName}`]) ?? 'push'
      const afterMs = 200 + turn.random(900)
      turn.note(`ph ${line}, killed after ${afterMs} ms`)
      await accidents.killed(line.split(' '), turn.machine.where, afterMs)
      return lostEdits(turn.api, turn.machine)
    }
    if (kind < 8) {
      turn.note('the server was killed')
      await accidents.serverKilled()
      return undefined
    }
    if (!this.#isBackedUp) {
      turn.note('the library was backed up')
      await accidents.backUp()
      this.#isBackedUp = true
      return undefined
    }
    turn.note('the library was restored')
    await accidents.restore()
    this.#isBackedUp = false
    for (const one of this.#common.machines) forgetWhatIsNowhere(one)
    return undefined
  }
}

/** A save that was only in the library is lost with what it lost. */
function forgetWhatIsNowhere(machine: Machine): void {
  for (const [file, hash] of machine.saved)
    if (!existsSync(join(machine.root, file)) || hashOf(machine.read(file)) !== hash) machine.saved.delete(file)
  delete machine.branch
  machine.isOfRestored = true
}
