/**
 * Days of a team, seeded: people at machines of their own and a build machine, two games with the same paths or out of one template, a level in each. They edit, add,
 * rename, push, get the latest, restore and change branches; after each step what a team relies on is looked at.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { callAs, type Json } from './api.ts'
import { pick, type Random, seeded } from './random-library.ts'
import { inconsistent, lostEdits, wrongActors } from './team-checks.ts'
import { hashOf, inThisProcess, isActor, levelOf, Machine, nameOf, type RunPh } from './team-machine.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { Packages } from './unreal-project.ts'

export interface TeamSetting {
  url: string
  /** Of people, in turn; the last is of the build machine, which only gets the latest and pushes. */
  keys: readonly string[]
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

const template: Packages = {
  'Content/Shared/M_Wood.uasset': {},
  'Content/Shared/T_Grain.uasset': {},
  'Content/Shared/SM_Crate.uasset': { imports: ['/Game/Shared/M_Wood'] },
  'Content/Shared/SM_Barrel.uasset': { imports: ['/Game/Shared/M_Wood', '/Game/Shared/T_Grain'] },
}
const guidOf = (text: string) => createHash('md5').update(text).digest('hex').toUpperCase()
/** What both games begin with, byte for byte; or, at the same paths in each, props of its own. */
const templateOf = (game: string, isShared: boolean): Packages =>
  Object.fromEntries(
    Object.entries(template).map(([file, spec]) => {
      const whose = isShared ? file : `${game} ${file}`
      return [file, { ...spec, guid: guidOf(whose), payload: Buffer.from(whose) }]
    }),
  )
/** What ended well, met what others hold or changed, or came in part: none of it is a fault. */
const usual = new Set([0, 5, 6])

/** Runs one seed; gives what was found wrong, at the first step where something was. */
export async function runTeam(setting: TeamSetting): Promise<TeamFault | undefined> {
  return new Team(setting).run()
}

class Team {
  readonly #random: Random
  readonly #machines: Machine[]
  readonly #log: string[] = []
  readonly #setting: TeamSetting
  readonly #branches = new Map<Machine, { folder: string; saved: ReadonlyMap<string, string> }>()
  #count = 0
  #isBackedUp = false

  constructor(setting: TeamSetting) {
    this.#setting = setting
    this.#random = seeded(setting.seed)
    this.#machines = setting.keys.map((key, at) => {
      const isBuild = at === setting.keys.length - 1
      return new Machine(isBuild ? 'build' : `person${at}`, at % 3 === 2 ? 'Castle' : 'Tavern', {
        url: setting.url,
        key,
        run: setting.run ?? inThisProcess,
      })
    })
  }

  async run(): Promise<TeamFault | undefined> {
    await this.#begin()
    for (let step = 0; step < this.#setting.steps; step++) {
      const what = await this.#step(pick(this.#random, this.#machines))
      if (what !== undefined) return { step, what, log: this.#log }
    }
    return undefined
  }

  /** Two games are begun, for every other seed out of one template; everybody else gets the latest of theirs. */
  async #begin(): Promise<void> {
    const isShared = this.#setting.seed % 2 === 0
    for (const game of ['Tavern', 'Castle']) {
      const first = this.#machines.find((machine) => machine.game === game)
      const imports = ['/Game/Shared/SM_Crate', '/Game/Shared/SM_Barrel']
      await first?.save({ ...templateOf(game, isShared), [levelOf(game)]: { imports } })
      await first?.run('push --held new')
    }
    for (const machine of this.#machines)
      if (machine.packages.length === 0) await machine.run(`pull ${nameOf(levelOf(machine.game))}`)
  }

  async #step(machine: Machine): Promise<string | undefined> {
    const kind = this.#random(100)
    if (this.#setting.accidents && this.#random(100) < 4) return this.#accident(machine, this.#setting.accidents)
    if (kind < 28) return this.#latest(machine)
    if (kind < 48) return this.#push(machine)
    if (kind < 52) return this.#advised(machine)
    if (machine.name === 'build') return undefined
    if (kind < 66) return this.#edit(machine)
    if (kind < 74) return this.#add(machine)
    if (kind < 80) return this.#changeActors(machine)
    if (kind < 87) return this.#rename(machine)
    if (kind < 93) return this.#restore(machine)
    return this.#changeBranch(machine)
  }

  /** Each command that status advises is run where it advises it. */
  async #advised(machine: Machine): Promise<string | undefined> {
    const { stdout } = await machine.tell('status')
    // A long line goes on below, further in.
    const said = stdout.replaceAll(/\n {6,}(?=\S)/g, ' ')
    // Of two ways out one is taken.
    const other = pick(this.#random, ['--mine', '--theirs'])
    for (const [, words = ''] of said.matchAll(/(?:→ |`)ph ((?:pull|push|restore) [^<>;`\n]*)/g)) {
      const fault = words.includes(other) ? undefined : await this.#command(machine, words)
      if (fault) return `status advised: ${fault}`
    }
    return undefined
  }

  /** An actor is added to the level, moved or taken away; the level's own file stays as it is. */
  async #changeActors(machine: Machine): Promise<undefined> {
    const level = levelOf(machine.game)
    if (!existsSync(join(machine.root, level))) return
    const folder = level.replace('Content/', 'Content/__ExternalActors__/').replace('.umap', '')
    const here = machine.packages.filter(isActor)
    const kind = this.#random(3)
    if (kind === 0 && here.length > 1) {
      const file = pick(this.#random, here)
      machine.remove(file)
      this.#note(machine, `took ${file} away`)
      return
    }
    const file = kind === 1 && here.length > 0 ? pick(this.#random, here) : `${folder}/0/1A/ACTOR${this.#count++}.uasset`
    const payload = Buffer.from(`${this.#setting.seed} ${machine.name} ${this.#count++}`)
    await machine.save({ [file]: { assetClass: 'StaticMeshActor', imports: [nameOf(level)], payload } })
    this.#note(machine, `saved ${file}`)
  }

  async #accident(machine: Machine, accidents: Accidents): Promise<string | undefined> {
    const kind = this.#random(10)
    if (kind < 6) {
      const line = pick(this.#random, ['push', `pull ${nameOf(levelOf(machine.game))}`])
      const afterMs = 200 + this.#random(900)
      this.#note(machine, `ph ${line}, killed after ${afterMs} ms`)
      await accidents.killed(line.split(' '), machine.where, afterMs)
      return lostEdits(this.#api, machine)
    }
    if (kind < 8) {
      this.#note(machine, 'the server was killed')
      await accidents.serverKilled()
      return undefined
    }
    if (!this.#isBackedUp) {
      this.#note(machine, 'the library was backed up')
      await accidents.backUp()
      this.#isBackedUp = true
      return undefined
    }
    this.#note(machine, 'the library was restored')
    await accidents.restore()
    this.#isBackedUp = false
    for (const one of this.#machines) this.#forgetWhatIsNowhere(one)
    return undefined
  }

  /** A save that was only in the library is lost with what it lost. */
  #forgetWhatIsNowhere(machine: Machine): void {
    for (const [file, hash] of machine.saved)
      if (!existsSync(join(machine.root, file)) || hashOf(machine.read(file)) !== hash) machine.saved.delete(file)
    this.#branches.delete(machine)
  }

  get #api() {
    return callAs(this.#setting.url, this.#setting.keys[0] ?? '')
  }

  #note(machine: Machine, text: string): void {
    this.#log.push(`${machine.name} (${machine.game}): ${text}`)
  }

  async #command(machine: Machine, line: string): Promise<string | undefined> {
    const { code, stdout, stderr } = await machine.run(line)
    this.#note(machine, `ph ${line} → ${code}`)
    if (!usual.has(code ?? -1)) return `ph ${line} ended with ${code}: ${stderr}${stdout}`.slice(0, 2000)
    if (line.startsWith('push') && code === 0) machine.removed.clear()
    return lostEdits(this.#api, machine)
  }

  /** What is another game's too is answered, mostly as a prop of this one alone; all else that is held stays so. */
  async #push(machine: Machine): Promise<string | undefined> {
    const fault = await this.#command(machine, 'push')
    if (fault !== undefined) return fault
    const { items } = JSON.parse((await machine.run('push --dry-run')).stdout)
    const asked = (items as Json[]).filter(({ status, reason = '' }) => status === 'held' && !reason.startsWith('depends_on_'))
    if (asked.length === 0 || asked.some(({ reason }) => reason !== 'other_projects')) return undefined
    return this.#command(machine, `push --held ${this.#random(5) === 0 ? 'attach' : 'new'}`)
  }

  async #latest(machine: Machine): Promise<string | undefined> {
    const line = `pull ${nameOf(levelOf(machine.game))}`
    const { code, stdout, stderr } = await machine.run(line)
    this.#note(machine, `ph ${line} → ${code}`)
    if (!usual.has(code ?? -1)) return `ph ${line} ended with ${code}: ${stderr}${stdout}`.slice(0, 2000)
    return (
      (await lostEdits(this.#api, machine)) ??
      (await inconsistent(this.#api, machine, stdout)) ??
      (await wrongActors(this.#api, machine, stdout))
    )
  }

  /** What lies here and is no redirector, nor a level. */
  #props(machine: Machine): string[] {
    return machine.packages.filter(
      (file) => file.endsWith('.uasset') && !isActor(file) && machine.facts(file).assetClass !== 'ObjectRedirector',
    )
  }

  /** What is kept when a package is saved again; its payload is new. */
  #specOf(machine: Machine, file: string) {
    const { imports, stableGuid, assetClass } = machine.facts(file)
    return {
      imports: imports.filter((name) => name.startsWith('/Game/')),
      guid: stableGuid?.value ?? null,
      assetClass: assetClass ?? 'DataAsset',
      payload: Buffer.from(`${this.#setting.seed} ${machine.name} ${this.#count++}`),
    }
  }

  async #edit(machine: Machine): Promise<undefined> {
    const props = [...this.#props(machine), levelOf(machine.game)].filter((file) => existsSync(join(machine.root, file)))
    if (props.length === 0) return
    const file = pick(this.#random, props)
    await machine.save({ [file]: this.#specOf(machine, file) })
    this.#note(machine, `saved ${file}`)
  }

  /** A new mesh, and the level that shows it. */
  async #add(machine: Machine): Promise<undefined> {
    const [props, level] = [this.#props(machine), levelOf(machine.game)]
    if (props.length === 0 || !existsSync(join(machine.root, level))) return
    const file = `Content/${machine.game}/SM_New${this.#setting.seed}_${this.#count++}.uasset`
    await machine.save({ [file]: { imports: [nameOf(pick(this.#random, props))], payload: Buffer.from(file) } })
    const spec = this.#specOf(machine, level)
    await machine.save({ [level]: { ...spec, imports: [...spec.imports, nameOf(file)] } })
    this.#note(machine, `added ${file} to the level`)
  }

  /** As the editor does it: the package has a new GUID in its new place, and a redirector keeps the old one. */
  async #rename(machine: Machine): Promise<undefined> {
    const props = this.#props(machine)
    if (props.length === 0) return
    const file = pick(this.#random, props)
    const spec = this.#specOf(machine, file)
    const to = `Content/Moved/${nameOf(file)
      .split('/')
      .at(-1)
      ?.replace(/_v\d+$/, '')}_v${this.#count++}.uasset`
    const guid = guidOf(`${this.#setting.seed} ${to}`)
    await machine.save({
      [to]: { ...spec, guid },
      [file]: { assetClass: 'ObjectRedirector', imports: [nameOf(to)], guid: spec.guid, payload: Buffer.from(to) },
    })
    this.#note(machine, `renamed ${file} to ${to}`)
  }

  async #restore(machine: Machine): Promise<string | undefined> {
    const api = this.#api
    const { entries } = (await api.get('/entries?limit=200')).body
    const entry = pick(this.#random, entries as Json[])
    if (!entry) return undefined
    const { body } = await api.get(`/lineages/${entry.lineage_id}`)
    if ((body.objects?.length ?? 0) < 2) return undefined
    const { version } = pick(this.#random, body.objects as Json[])
    return this.#command(machine, `restore ${entry.id} --version v${version}`)
  }

  /** Puts another state of the content in place of the one that is here, as a version control does; the next time back again. */
  async #changeBranch(machine: Machine): Promise<undefined> {
    const content = join(machine.root, 'Content')
    if (!existsSync(content)) return
    const other = this.#branches.get(machine)
    const folder = temporaryFolder()
    cpSync(content, folder, { recursive: true, preserveTimestamps: true })
    this.#branches.set(machine, { folder, saved: new Map(machine.saved) })
    if (!other) return
    rmSync(content, { recursive: true })
    cpSync(other.folder, content, { recursive: true })
    machine.saved.clear()
    for (const [file, hash] of other.saved) machine.saved.set(file, hash)
    this.#note(machine, 'changed the branch')
  }
}
