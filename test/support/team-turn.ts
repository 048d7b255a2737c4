/** The turn of one machine of a team: what it may do there is a function of it (team-edits.ts, team-commands.ts, team-advice.ts). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller, Json } from './api.ts'
import { pick, type Random } from './random-library.ts'
import { lostEdits } from './team-checks.ts'
import { hashOf, isActor, levelOf, type Machine, nameOf } from './team-machine.ts'

/** What all turns of a team have in common. */
export interface Common {
  seed: number
  random: Random
  machines: readonly Machine[]
  api: Caller
  log: string[]
  /** Another number each time. */
  next(): number
}

/** What was found wrong, if anything. */
export type Found = string | undefined

/** What ended well, met what others hold or changed, or came in part: none of it is a fault. */
const usual = [0, 5, 6]

export interface How {
  /** Its words for people are read, not its JSON. */
  isRead?: boolean
  /** It takes versions out of the library for good, as was asked for: saves that were nowhere else go with them. */
  takesVersions?: boolean
  /** Errors with which it may end in this case. */
  refusals?: readonly string[]
}

export class Turn {
  readonly machine: Machine
  readonly common: Common

  constructor(machine: Machine, common: Common) {
    this.machine = machine
    this.common = common
  }

  get random(): Random {
    return this.common.random
  }

  get api(): Caller {
    return this.common.api
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from.length === 0 ? undefined : pick(this.random, from)
  }

  note(text: string): void {
    this.common.log.push(`${this.machine.name} (${this.machine.game}): ${text}`)
  }

  async command(line: string, how?: How): Promise<Found> {
    return (await this.answer(line, how)).fault
  }

  /** Runs it; no edit may be lost. */
  async answer(
    line: string,
    { isRead = false, takesVersions = false, refusals = [] }: How = {},
  ): Promise<{ fault: Found; stdout: string }> {
    const { machine } = this
    const before = takesVersions ? await this.#known() : new Set<string>()
    const { code, stdout, stderr } = await (isRead ? machine.tell(line) : machine.run(line))
    this.note(`ph ${line} → ${code}`)
    // A push of single files sends nothing of what was taken away elsewhere.
    if (/^push(?: Content)?(?: --held \w+)?$/.test(line) && code === 0) machine.removed.clear()
    if (takesVersions) this.#forget(before.difference(await this.#known()))
    if (!usual.includes(code ?? -1) && !refusals.some((one) => stderr.includes(`"code":"${one}"`)))
      return { fault: `ph ${line} ended with ${code}: ${stderr}${stdout}`.slice(0, 2000), stdout }
    return { fault: await lostEdits(this.api, machine), stdout }
  }

  /** What still lies where it was saved stays that person's. */
  #forget(hashes: ReadonlySet<string>): void {
    const isHere = (file: string, hash: string) =>
      this.common.machines.some((one) => existsSync(join(one.root, file)) && hashOf(one.read(file)) === hash)
    for (const { saved } of this.#states())
      for (const [file, hash] of saved) if (hashes.has(hash) && !isHere(file, hash)) saved.delete(file)
  }

  #states() {
    return this.common.machines.flatMap((one) => [one, ...(one.branch ? [one.branch] : [])])
  }

  /** What anyone saved and the library has. */
  async #known(): Promise<Set<string>> {
    const content_hashes = [...new Set(this.#states().flatMap(({ saved }) => [...saved.values()]))]
    if (content_hashes.length === 0) return new Set()
    const { versions } = (await this.api.post('/lineages/find', { content_hashes })).body
    return new Set(versions.map((one: Json) => one.content_hash))
  }

  get level(): string {
    return levelOf(this.machine.game)
  }

  has(file: string): boolean {
    return existsSync(join(this.machine.root, file))
  }

  /** Whether its bytes are those that its person saved last. */
  isSaved(file: string): boolean {
    return this.machine.saved.get(file) === hashOf(this.machine.read(file))
  }

  get entries(): Promise<Json[]> {
    return this.api.get('/entries?limit=200').then(({ body }) => body.entries)
  }

  /** What lies here and is no redirector, nor a level. */
  get props(): string[] {
    const { machine } = this
    return machine.packages.filter(
      (file) => file.endsWith('.uasset') && !isActor(file) && machine.facts(file).assetClass !== 'ObjectRedirector',
    )
  }

  /** What is kept when a package is saved again; its payload is new. */
  specOf(file: string) {
    const { machine, common } = this
    const { imports, stableGuid, assetClass } = machine.facts(file)
    return {
      imports: imports.filter((name) => name.startsWith('/Game/')),
      guid: stableGuid?.value ?? null,
      assetClass: assetClass ?? 'DataAsset',
      payload: Buffer.from(`${common.seed} ${machine.name} ${common.next()}`),
    }
  }

  /** How the level is called in commands. */
  get levelName(): string {
    return nameOf(this.level)
  }
}
