/** The stage of the demo: a folder of its own with a sample project, and a server that nobody else knows. */
import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SampleProject } from '../../../sample/content.ts'
import type { Surroundings } from '../../context.ts'

export interface DemoStage {
  /** Everything lies below it. */
  folder: string
  /** The Unreal project in it. */
  project: string
  /** Another project, which has nothing yet. */
  other: { folder: string; name: string }
  sample: SampleProject
  url: string
  key: string
  /** What `ph` has to be told to talk to this server, and to leave the person's own settings alone. */
  env: Record<string, string>
  /** Name of the prop that is edited. */
  edited: string
  /** A prop of the sample that needs many others. */
  composed: string
  /** Repaints it, as an artist would. */
  edit(): Promise<unknown>
  /** Ends the server and removes the folder; a second time it does nothing. */
  clear(): Promise<void>
}

/** Large enough for a terminal that shows real pixels, small enough to be drawn in a few seconds. */
const picturePx = 160

/** Makes the project and starts the server at the same time. What was made is taken away again when one of them fails. */
export async function setDemoStage({ TMPDIR }: Surroundings['env']): Promise<DemoStage> {
  const folder = await mkdtemp(join(TMPDIR || tmpdir(), 'prop-house-demo-'))
  const project = join(folder, 'project')
  const other = { folder: join(folder, 'other'), name: 'MountainPass' }
  const [{ editSampleProp, makeSampleProject }, { composedProp, editedProp }] = await Promise.all([
    import('../../../sample/content.ts'),
    import('../../../sample/catalog.ts'),
  ])
  const key = randomKey()
  const server = startDemoServer(folder, key)
  let cleared: Promise<void> | undefined
  const clear = () => {
    cleared ??= server
      .then(
        (running) => running.stop(),
        () => undefined,
      )
      .then(() => rm(folder, { recursive: true, force: true }))
    return cleared
  }
  try {
    await mkdir(other.folder)
    await writeFile(join(other.folder, `${other.name}.uproject`), '{"FileVersion": 3, "EngineAssociation": "5.4"}\n')
    const [{ url }, sample] = await Promise.all([server, makeSampleProject(project, { picturePx })])
    const own = (name: string) => join(folder, name)
    return {
      folder,
      project,
      other,
      sample,
      url,
      key,
      env: { PH_URL: url, PH_API_KEY: key, PH_STATE_DIR: own('state'), PH_CONFIG_DIR: own('config'), PH_CACHE_DIR: own('cache') },
      edited: editedProp.split('/').at(-1) ?? '',
      composed: composedProp.split('/').at(-1) ?? '',
      edit: () => editSampleProp(project, { picturePx }),
      clear,
    }
  } catch (error) {
    await clear()
    throw error
  }
}

async function startDemoServer(folder: string, key: string) {
  const provisionFile = join(folder, 'provisioning.json')
  await mkdir(folder, { recursive: true })
  await writeFile(provisionFile, JSON.stringify(provisioning(key), null, 2), { mode: 0o600 })
  const [{ startServer }, { readSettings }] = await Promise.all([
    import('../../../server/main.ts'),
    import('../../../server/config.ts'),
  ])
  const settings = readSettings({ port: '0', data: join(folder, 'library'), provision: provisionFile }, {}, folder)
  return startServer({ settings, log: 'none' })
}

const email = 'ada@tavern.example'
const provisioning = (key: string) => ({
  workspaces: [
    {
      slug: 'tavern',
      name: 'Tavern Games',
      members: [{ email, name: 'ada', display_name: 'Ada', role: 'owner' }],
      keys: [{ name: 'demo', member: email, scope: 'write', key }],
    },
  ],
})

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A key as servers make them (contract-gaps 2), good for this server only. */
const randomKey = (): string => `ph_live_${Array.from({ length: 40 }, () => letters[randomInt(letters.length)]).join('')}`
