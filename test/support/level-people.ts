/** People who work on a level whose actors are files of their own, each on a machine of their own. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import type { PullOptions } from '../../client/pull/options.ts'
import { type PushOptions, push } from '../../client/push/push.ts'
import { type StatusOptions, status } from '../../client/status/status.ts'
import { callAs } from './api.ts'
import { emptyProject, onlyJob } from './pull.ts'
import type { startTestServer } from './server.ts'
import { writeFiles } from './temporary-folder.ts'
import { packageAt, type Target } from './unreal-project.ts'

export const level = 'Content/Maps/L_Town.umap'
export const actor = (name: string) => `Content/__ExternalActors__/Maps/L_Town/0/1A/${name}.uasset`
/** What the outliner calls such an actor. */
export const labelOf = (name: string) => `The ${name}`

/** A person's folder of the game, with a memory of its own. */
function person(as: Target, engine = '5.4') {
  const project = emptyProject('Town', { engine })
  const { root, state, cache } = project
  const folders = findFolders({ PH_STATE_DIR: state, PH_CACHE_DIR: cache })
  return {
    ...project,
    folders,
    path: (file: string) => join(root, file),
    async save(files: Record<string, string>) {
      for (const [file, payload] of Object.entries(files)) {
        const label = labelOf(/([^/]*)\.[^.]*$/.exec(file)?.[1] ?? '')
        const spec = file === level ? {} : { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Town'], label }
        writeFiles(root, { [file]: await packageAt(file, { ...spec, payload: Buffer.from(payload) }) })
      }
    },
    remove: (...files: string[]) => {
      for (const file of files) rmSync(join(root, file))
    },
    push: (options: Partial<PushOptions> = {}, to: Target = as) =>
      push({ ...to, paths: [join(root, 'Content')], folders, ...options }),
    status: (options: Partial<StatusOptions> = {}) => status({ ...as, paths: [], cwd: root, folders, ...options }),
    get: async (name = 'L_Town', options: Partial<PullOptions> = {}) =>
      onlyJob(await project.pull(as, [name], { mayTakeAway: () => true, ...options })),
  }
}
export type LevelPerson = ReturnType<typeof person>

export function levelPeople(server: Awaited<ReturnType<typeof startTestServer>>) {
  async function library() {
    const { url, keys } = await server.addWorkspace()
    return { ada: { url, key: keys.mia }, bob: { url, key: keys.max }, api: callAs(url, keys.mia) }
  }

  /** Two people who have the same level. */
  async function two(...names: string[]) {
    const { ada: adas, bob: bobs, api } = await library()
    const [ada, bob] = [person(adas), person(bobs)]
    await ada.save(Object.fromEntries([[level, 'level'], ...names.map((name) => [actor(name), name])]))
    await ada.push()
    await bob.get()
    expect(bob.files()).toEqual(ada.files())
    return { ada, bob, api, adas, bobs }
  }

  return { library, person, two }
}
