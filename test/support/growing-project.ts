/** A project whose folder gets new files and new saves of old ones before each push, and which knows what the library must hold then. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findFolders, projectStateFile } from '../../client/folders.ts'
import { ProjectMemory } from '../../client/memory/project-memory.ts'
import type { PushOptions } from '../../client/push/push.ts'
import { randomBytes, randomNumbers } from '../../sample/random.ts'
import { sha256 } from './push.ts'
import { makeProject, type Packages, picture, type Target, type TestProject } from './unreal-project.ts'
import type { LibraryContents } from './whole-library.ts'

const filesPerPush = 5
/** More than is written in one go. */
const largeBytes = 1_300_000
const smallBytes = 3000

export class GrowingProject {
  readonly library: Target
  readonly #project: TestProject
  readonly #random: () => number
  readonly #seed: string
  /** How often each file was saved. */
  readonly #saves = new Map<string, number>()

  private constructor(library: Target, project: TestProject, seed: string) {
    this.library = library
    this.#project = project
    this.#seed = seed
    this.#random = randomNumbers(seed)
  }

  static async begin(library: Target, seed: string): Promise<GrowingProject> {
    return new GrowingProject(library, await makeProject(), seed)
  }

  /** Five files: new ones that need each other and older ones, and new saves of one or two older ones. One is large. */
  async grow(): Promise<void> {
    const older = [...this.#saves.keys()]
    const edited = [...new Set(older.length === 0 ? [] : [this.#oneOf(older), this.#oneOf(older)])]
    const names = Array.from({ length: filesPerPush - edited.length }, (_, n) => `SM_${older.length + n}x`)
    const fresh = names.map((name) => `Content/Props/${name}.uasset`)
    const packages: Packages = {}
    for (const [n, file] of [...fresh, ...edited].entries()) {
      const saves = 1 + (this.#saves.get(file) ?? 0)
      this.#saves.set(file, saves)
      const need = this.#oneOf([...fresh, ...older]).replace(/^Content(.*)\.uasset$/, '/Game$1')
      const payload = randomBytes(`${this.#seed} ${file} ${saves}`, n === 1 ? largeBytes : smallBytes)
      packages[file] = { imports: [need], thumbnail: picture, payload }
    }
    await this.#project.save(packages)
  }

  /** The folder to push, and where this side keeps what it remembers. */
  get folders(): { content: string; state: string } {
    return { content: join(this.#project.root, 'Content'), state: this.#project.state }
  }

  push = (options: Partial<PushOptions> = {}) => this.#project.push(this.library, options)

  /** What this side was told to be registered is there. */
  requireRemembered({ objects }: LibraryContents): void {
    const folders = findFolders({ PH_STATE_DIR: this.#project.state })
    const about = { address: this.library.url, root: this.#project.root }
    const memory = new ProjectMemory(projectStateFile(folders, about.address, about.root), about)
    const registered = memory.findAll([...this.#saves.keys()]).flatMap(({ base }) => base ?? [])
    memory.close()
    const hashes = new Map(objects.map(({ object_id, content_hash }) => [object_id, content_hash]))
    for (const { objectId, hash } of registered) expect(hashes.get(objectId)).toBe(hash)
  }

  /** Every file is the current version of one entry, with a picture; every save of it is one version. */
  requireComplete({ entries, lineages }: LibraryContents): void {
    const byHash = new Map(entries.map((entry) => [entry.content_hash, entry]))
    for (const [file, saves] of this.#saves) {
      const entry = byHash.get(sha256(readFileSync(join(this.#project.root, file))))
      expect(entry, file).toMatchObject({ has_thumbnail: true })
      expect(lineages.get(entry.lineage_id).objects, file).toHaveLength(saves)
    }
    expect(entries).toHaveLength(this.#saves.size)
  }

  #oneOf = (files: readonly string[]): string =>
    files[Math.floor(this.#random() * files.length)] ?? expect.fail('there is no file')
}
