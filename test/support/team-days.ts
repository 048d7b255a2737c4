/**
 * Days of a team, seeded: people at machines of their own and a build machine, two games with the same paths, a level in each. They edit, add,
 * rename, push, get the latest, restore and change branches; after each step what a team relies on is looked at.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPackage } from '../../formats/uasset/uasset.ts'
import { callAs, type Json } from './api.ts'
import { ph, signedIn } from './ph.ts'
import { pick, type Random, seeded } from './random-library.ts'
import { temporaryFolder, writeFiles } from './temporary-folder.ts'
import { type Packages, packageAt } from './unreal-project.ts'

export interface TeamSetting {
  url: string
  /** Of people, in turn; the last is of the build machine, which only gets the latest and pushes. */
  keys: readonly string[]
  seed: number
  steps: number
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
/** At the same paths in each game, as props of its own. */
const templateOf = (game: string): Packages =>
  Object.fromEntries(
    Object.entries(template).map(([file, spec]) => [
      file,
      { ...spec, guid: guidOf(`${game} ${file}`), payload: Buffer.from(`${game} ${file}`) },
    ]),
  )
const levelOf = (game: string) => `Content/Maps/L_${game}.umap`
const isPackage = (path: string) => /\.u(asset|map)$/.test(path)
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const nameOf = (path: string) => path.replace(/^Content/, '/Game').replace(/\.u(asset|map)$/, '')
/** What ended well, met what others hold or changed, or came in part: none of it is a fault. */
const usual = new Set([0, 5, 6])

/** One machine with one project. */
class Machine {
  readonly name: string
  readonly game: string
  readonly root: string
  /** By file: the bytes that its person saved last. */
  readonly saved = new Map<string, string>()
  readonly #env: Record<string, string>

  constructor(name: string, game: string, to: { url: string; key: string }) {
    this.name = name
    this.game = game
    this.root = temporaryFolder({ [`${game}.uproject`]: '{"EngineAssociation": "5.3"}' })
    const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
    this.#env = { ...signedIn(to.url, to.key), ...folders }
  }

  run(line: string) {
    return ph(`${line} --json`, { cwd: this.root, env: this.#env })
  }

  get packages(): string[] {
    const content = join(this.root, 'Content')
    if (!existsSync(content)) return []
    const found = readdirSync(content, { recursive: true, encoding: 'utf8' }).map(
      (path) => `Content/${path.replaceAll('\\', '/')}`,
    )
    return found.filter(isPackage).sort()
  }

  read(file: string): Buffer {
    return readFileSync(join(this.root, file))
  }

  facts(file: string) {
    const bytes = this.read(file)
    return readPackage(bytes, { stem: nameOf(file).split('/').at(-1) ?? '', fileSize: bytes.length })
  }

  async save(packages: Packages): Promise<void> {
    for (const [file, spec] of Object.entries(packages)) {
      const bytes = await packageAt(file, spec)
      writeFiles(this.root, { [file]: bytes })
      this.saved.set(file, hashOf(bytes))
    }
  }

  /** The file of a package that is referred to. */
  fileOf(name: string): string | undefined {
    return ['uasset', 'umap']
      .map((ext) => `${name.replace('/Game', 'Content')}.${ext}`)
      .find((file) => existsSync(join(this.root, file)))
  }
}

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

  constructor(setting: TeamSetting) {
    this.#setting = setting
    this.#random = seeded(setting.seed)
    this.#machines = setting.keys.map((key, at) => {
      const isBuild = at === setting.keys.length - 1
      return new Machine(isBuild ? 'build' : `person${at}`, at % 3 === 2 ? 'Castle' : 'Tavern', { url: setting.url, key })
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

  /** Two games are begun; everybody else gets the latest of theirs. */
  async #begin(): Promise<void> {
    for (const game of ['Tavern', 'Castle']) {
      const first = this.#machines.find((machine) => machine.game === game)
      const imports = ['/Game/Shared/SM_Crate', '/Game/Shared/SM_Barrel']
      await first?.save({ ...templateOf(game), [levelOf(game)]: { imports } })
      await first?.run('push --held new')
    }
    for (const machine of this.#machines)
      if (machine.packages.length === 0) await machine.run(`pull ${nameOf(levelOf(machine.game))}`)
  }

  async #step(machine: Machine): Promise<string | undefined> {
    const kind = this.#random(100)
    if (kind < 30) return this.#latest(machine)
    if (kind < 52) return this.#command(machine, 'push')
    if (machine.name === 'build') return undefined
    if (kind < 70) return this.#edit(machine)
    if (kind < 78) return this.#add(machine)
    if (kind < 86) return this.#rename(machine)
    if (kind < 92) return this.#restore(machine)
    return this.#changeBranch(machine)
  }

  #note(machine: Machine, text: string): void {
    this.#log.push(`${machine.name} (${machine.game}): ${text}`)
  }

  async #command(machine: Machine, line: string): Promise<string | undefined> {
    const { code, stdout, stderr } = await machine.run(line)
    this.#note(machine, `ph ${line} → ${code}`)
    if (!usual.has(code)) return `ph ${line} ended with ${code}: ${stderr}${stdout}`.slice(0, 2000)
    return this.#lostEdits(machine)
  }

  async #latest(machine: Machine): Promise<string | undefined> {
    const line = `pull ${nameOf(levelOf(machine.game))}`
    const { code, stdout, stderr } = await machine.run(line)
    this.#note(machine, `ph ${line} → ${code}`)
    if (!usual.has(code)) return `ph ${line} ended with ${code}: ${stderr}${stdout}`.slice(0, 2000)
    return (await this.#lostEdits(machine)) ?? this.#inconsistent(machine, stdout)
  }

  /** What lies here and is no redirector, nor a level. */
  #props(machine: Machine): string[] {
    return machine.packages.filter((file) => file.endsWith('.uasset') && machine.facts(file).assetClass !== 'ObjectRedirector')
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
    const api = callAs(this.#setting.url, this.#setting.keys[0] ?? '')
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

  /** What a person saved is here, in the library, or in a folder of backups. */
  async #lostEdits(machine: Machine): Promise<string | undefined> {
    const isHere = ([file, hash]: [string, string]) => existsSync(join(machine.root, file)) && hashOf(machine.read(file)) === hash
    const gone = [...machine.saved].filter((one) => !isHere(one))
    if (gone.length === 0) return undefined
    const { versions } = await this.#find([...new Set(gone.map(([, hash]) => hash))])
    const known = new Set(versions.map((one: Json) => one.content_hash))
    const missing = gone.filter(([, hash]) => !known.has(hash))
    if (missing.length === 0) return undefined
    const everywhere = readdirSync(machine.root, { recursive: true, encoding: 'utf8' }).filter(isPackage)
    const kept = new Set(everywhere.map((path) => hashOf(machine.read(path))))
    const lost = missing.find(([, hash]) => !kept.has(hash))
    return lost && `the last save of ${lost[0]} is neither here nor in the library nor kept as a backup`
  }

  async #find(content_hashes: string[]): Promise<Json> {
    return (await callAs(this.#setting.url, this.#setting.keys[0] ?? '').post('/lineages/find', { content_hashes })).body
  }

  /** From the level on: everything that is referred to is here or named, one version of each prop, and what nobody edited here is current. */
  async #inconsistent(machine: Machine, report: string): Promise<string | undefined> {
    const open = [levelOf(machine.game)]
    const reached = new Set(open)
    for (const file of open) {
      if (!existsSync(join(machine.root, file))) return `${file} did not come`
      for (const name of machine.facts(file).imports.filter((one) => one.startsWith('/Game/'))) {
        const needed = machine.fileOf(name)
        if (needed === undefined && !report.toLowerCase().includes(name.toLowerCase()))
          return `${file} refers to ${name}, which is neither here nor named as missing`
        if (needed !== undefined && !reached.has(needed)) open.push(needed)
        if (needed !== undefined) reached.add(needed)
      }
    }
    const hashes = new Map([...reached].map((file) => [file, hashOf(machine.read(file))]))
    const { versions, lineages } = await this.#find([...new Set(hashes.values())])
    const faces = new Map(lineages.map((one: Json) => [one.id, one]))
    const byHash = new Map<string, Json>(versions.map((one: Json) => [one.content_hash, one]))
    const files = new Map<string, string>()
    const { jobs = [] } = JSON.parse(report)
    const kept = new Set(jobs.flatMap((job: Json) => job.files.flatMap((one: Json) => (one.outcome === 'kept' ? one.file : []))))
    for (const [file, hash] of hashes) {
      const version = byHash.get(hash)
      if (!version) continue
      const other = files.get(version.lineage_id)
      if (other !== undefined) return `${file} and ${other} are two versions of one prop`
      files.set(version.lineage_id, file)
      const face = faces.get(version.lineage_id) as Json
      if (face.face_object_id !== version.object_id && machine.saved.get(file) !== hash && !kept.has(file))
        return `${file} is version ${version.object_id} of ${version.lineage_id}, and ${face.face_object_id} is current`
    }
    return undefined
  }
}
