/** Whether what a project remembers of its places is so, and whether a push of what was edited there makes the right versions of it. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import type { ProjectMemory } from '../../client/memory/project-memory.ts'
import { statKey } from '../../client/project/fingerprint.ts'
import { push } from '../../client/push/push.ts'
import { callAs, type Json } from './api.ts'
import type { PullProject } from './pull.ts'
import { sha256 } from './push.ts'
import type { Target } from './unreal-project.ts'

/** What someone saved here: bytes that may be nowhere else, and the version that they were made from. */
export interface Edit {
  bytes: Buffer
  /** Undefined: from none. */
  of: Buffer | undefined
  /** It came after the pull had begun. */
  isLate: boolean
}

export interface TruthParts {
  library: Target
  project: PullProject
  memory: () => ProjectMemory
  edits: ReadonlyMap<string, Edit>
}

/** The versions of one prop, oldest first. */
interface Line {
  hashes: string[]
  parents: Map<string, string | undefined>
  current: string | undefined
}

export class PlaceTruth {
  readonly #parts: TruthParts

  constructor(parts: TruthParts) {
    this.#parts = parts
  }

  /** The version that a file is or was made from is the one that is remembered, or an older one: then a push is refused, not wrong. */
  async requireMemory(): Promise<void> {
    const { project, memory, edits } = this.#parts
    const lines = await this.#lines()
    const files = project.files()
    const remembered = memory()
    const known = new Map(remembered.findAll(Object.keys(files).map((path) => `Content/${path}`)).map((one) => [one.file, one]))
    remembered.close()
    for (const [path, bytes] of Object.entries(files)) {
      const one = known.get(`Content/${path}`)
      if (!one) continue
      if (one.stat === statKey(lstatSync(join(project.root, 'Content', path), { bigint: true })))
        expect(one.hash, `the bytes of ${path}`).toBe(sha256(bytes))
      if (!one.base) continue
      const edit = edits.get(path)
      const version = edit?.bytes.equals(bytes) ? edit.of : bytes
      const line = lines.find(({ hashes }) => hashes.includes(one.base?.hash ?? ''))
      const newest = version === undefined ? -1 : (line?.hashes.indexOf(sha256(version)) ?? -1)
      // Part of a file, on a disk without links: no version, and no edit of one.
      if (newest < 0 && !edit?.bytes.equals(bytes)) continue
      expect(line?.hashes.indexOf(one.base.hash), `the base of ${path}`).toBeLessThanOrEqual(newest)
    }
  }

  /** A version that was made here has the parent that it was made from, and that was the current one. Says how many there are. */
  async requireHonestPush(): Promise<number> {
    const { library, project, edits } = this.#parts
    const before = await this.#lines()
    const paths = [join(project.root, 'Content')]
    await push({ ...library, folders: findFolders({ PH_STATE_DIR: project.state }), paths })
    const after = await this.#lines()
    let made = 0
    for (const [path, { bytes, of }] of edits) {
      const hash = sha256(bytes)
      const [line, former] = [after, before].map((all) => all.find(({ hashes }) => hashes.includes(of ? sha256(of) : hash)))
      if (!of || !line?.hashes.includes(hash) || former?.hashes.includes(hash)) continue
      made++
      expect(line.parents.get(hash), `the parent of the edit of ${path}`).toBe(sha256(of))
      expect(former?.current, `what the edit of ${path} replaces`).toBe(sha256(of))
    }
    return made
  }

  async #lines(): Promise<Line[]> {
    const api = callAs(this.#parts.library.url, this.#parts.library.key)
    const { body } = await api.get('/entries?limit=200')
    return Promise.all(
      body.entries.map(async ({ lineage_id }: Json): Promise<Line> => {
        const { body: lineage } = await api.get(`/lineages/${lineage_id}`)
        const objects: Json[] = [...lineage.objects].sort((a: Json, b: Json) => a.object_id - b.object_id)
        const hashOf = (id: number | null) => objects.find(({ object_id }) => object_id === id)?.content_hash
        return {
          hashes: objects.map(({ content_hash }) => content_hash),
          parents: new Map(objects.map(({ content_hash, parent_object_id }) => [content_hash, hashOf(parent_object_id)])),
          current: objects.find(({ is_face }) => is_face)?.content_hash,
        }
      }),
    )
  }
}
