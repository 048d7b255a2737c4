/** One machine of a team with one project: its files, what its person saved last, and how commands are run there. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPackage } from '../../formats/uasset/uasset.ts'
import { ph, signedIn } from './ph.ts'
import { temporaryFolder, writeFiles } from './temporary-folder.ts'
import { type Packages, packageAt } from './unreal-project.ts'

/** How `ph` is run on machines: in this process, or as one of its own. */
export type RunPh = (
  words: readonly string[],
  where: { cwd: string; env: Record<string, string> },
) => Promise<{ code: number | null; stdout: string; stderr: string }>

export const inThisProcess: RunPh = (words, where) => ph(words, where)

export const isPackage = (path: string) => /\.u(asset|map)$/.test(path)
/** Below the folder of a level's actors. */
export const isActor = (file: string) => file.startsWith('Content/__External')
export const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
export const levelOf = (game: string) => `Content/Maps/L_${game}.umap`
export const nameOf = (path: string) => path.replace(/^Content/, '/Game').replace(/\.u(asset|map)$/, '')

/** One machine with one project. */
export class Machine {
  readonly name: string
  readonly game: string
  readonly root: string
  /** By file: the bytes that its person saved last. */
  readonly saved = new Map<string, string>()
  /** Files that its person took away and nobody was told of yet. */
  readonly removed = new Set<string>()
  /** Names of packages whose files its person deleted here. */
  readonly deleted = new Set<string>()
  /** Whether the library was restored from a backup: it may have lost versions that were nowhere else. */
  isOfRestored = false
  /** The other state of its content, and what had been saved there. */
  branch?: { folder: string; saved: Map<string, string> }
  /** Whether its person may delete entries. */
  readonly isAdmin: boolean
  readonly #env: Record<string, string>
  readonly #run: RunPh

  constructor(name: string, game: string, to: { url: string; key: string; run: RunPh; isAdmin: boolean }) {
    this.name = name
    this.game = game
    this.root = temporaryFolder({ [`${game}.uproject`]: '{"EngineAssociation": "5.3"}' })
    const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
    this.#run = to.run
    this.isAdmin = to.isAdmin
    this.#env = { ...signedIn(to.url, to.key), ...folders }
  }

  run(line: string) {
    return this.#run([...line.split(' '), '--json'], this.where)
  }

  /** As a person reads it. */
  tell(line: string) {
    return this.#run(line.split(' '), this.where)
  }

  get where() {
    return { cwd: this.root, env: this.#env }
  }

  remove(file: string): void {
    rmSync(join(this.root, file))
    this.saved.delete(file)
    this.removed.add(file)
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
      this.removed.delete(file)
      this.deleted.delete(nameOf(file))
    }
  }

  /** The file of a package that is referred to. */
  fileOf(name: string): string | undefined {
    return ['uasset', 'umap']
      .map((ext) => `${name.replace('/Game', 'Content')}.${ext}`)
      .find((file) => existsSync(join(this.root, file)))
  }
}
