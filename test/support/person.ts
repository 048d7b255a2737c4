/** A person at a machine of their own, with a project of their own, who types `ph`. */
import { join } from 'node:path'
import { expect } from 'vitest'
import type { PackageSpec } from '../../sample/package-plan.ts'
import type { Json } from './api.ts'
import { type Outcome, ph, type Setting, signedIn } from './ph.ts'
import { temporaryFolder, writeFiles } from './temporary-folder.ts'
import { packageAt } from './unreal-project.ts'

export interface Person {
  root: string
  env: Record<string, string>
  run(line: string | readonly string[], more?: Setting): Promise<Outcome>
  /** The same with `--json`, which ends well. */
  ok(line: string, more?: Setting): Promise<Json>
  /** Saves a package of the folder Inn; its name says its class. */
  save(name: string, payload?: string, spec?: Partial<PackageSpec>): Promise<void>
  path(name: string): string
}

export function personAt(url: string, key: string, project = 'Inn'): Person {
  const root = temporaryFolder({ [`${project}.uproject`]: '{"EngineAssociation": "5.3"}' })
  const env = { ...signedIn(url, key), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' }
  const run = (line: string | readonly string[], more: Setting = {}): Promise<Outcome> =>
    ph(line, { cwd: root, ...more, env: { ...env, ...more.env } })
  const place = (name: string) => `Content/Inn/${name}.uasset`
  return {
    root,
    env,
    run,
    path: (name) => join(root, place(name)),
    async save(name, payload = '', spec = {}) {
      writeFiles(root, { [place(name)]: await packageAt(place(name), { payload: Buffer.from(payload), ...spec }) })
    },
    async ok(line, more = {}) {
      const outcome = await run(`${line} --json`, more)
      expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0)
      return outcome.json() as Json
    },
  }
}
