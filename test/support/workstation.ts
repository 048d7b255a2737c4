/** A person at a machine of their own, with one project and `ph`. */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Json } from './api.ts'
import { type Outcome, ph, signedIn } from './ph.ts'
import { temporaryFolder, writeFiles } from './temporary-folder.ts'
import { type Packages, packageAt, type Target } from './unreal-project.ts'

export interface Workstation {
  root: string
  /** Ends with this exit code. Words of a line are separated by blanks. */
  ph(line: string | readonly string[], expected?: number): Promise<Outcome>
  /** The same with `--json`: the document. */
  ask(line: string, expected?: number): Promise<Json>
  save(packages: Packages): Promise<void>
  remove(...files: string[]): void
  /** Someone else's machine, with a copy of the project as it is now. */
  copyFor(key: string): Workstation
}

export function workstation(to: Target, project = 'Tavern'): Workstation {
  const root = temporaryFolder({ [`${project}.uproject`]: '{"EngineAssociation": "5.3"}' })
  return workstationAt(to, root)
}

function workstationAt({ url, key }: Target, root: string): Workstation {
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const run = async (line: string | readonly string[], expected = 0) => {
    const outcome = await ph(line, { cwd: root, env: { ...signedIn(url, key), ...folders } })
    expect(outcome.code, `ph ${line}\n${outcome.stdout}${outcome.stderr}`).toBe(expected)
    return outcome
  }
  return {
    root,
    ph: run,
    ask: async (line, expected) => (await run(`${line} --json`, expected)).json() as Json,
    async save(packages) {
      for (const [path, spec] of Object.entries(packages)) writeFiles(root, { [path]: await packageAt(path, spec) })
    },
    remove: (...files) => {
      for (const file of files) rmSync(join(root, file))
    },
    copyFor(theirKey) {
      const copy = temporaryFolder()
      cpSync(root, copy, { recursive: true })
      return workstationAt({ url, key: theirKey }, copy)
    },
  }
}
