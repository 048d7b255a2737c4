/** Where `ph` keeps its own files: the only file that knows paths outside of a project (design.md 8). */
import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Environment = Record<string, string | undefined>

/** Absolute paths. `config`: profiles and keys; `state`: what is remembered of projects; `cache`: may be deleted at any time. */
export interface Folders {
  config: string
  state: string
  cache: string
}

const appName = 'prop-house'

/**
 * The folders of this person on this machine: `PH_CONFIG_DIR`, `PH_STATE_DIR`, `PH_CACHE_DIR` where set, else the
 * platform's own (XDG base directories on Linux). Creates nothing.
 */
export function findFolders(env: Environment = process.env, platform: NodeJS.Platform = process.platform): Folders {
  const own = platformFolders(env, platform)
  return {
    config: env.PH_CONFIG_DIR ? resolve(env.PH_CONFIG_DIR) : own.config,
    state: env.PH_STATE_DIR ? resolve(env.PH_STATE_DIR) : own.state,
    cache: env.PH_CACHE_DIR ? resolve(env.PH_CACHE_DIR) : own.cache,
  }
}

function platformFolders(env: Environment, platform: NodeJS.Platform): Folders {
  const home = env.HOME || homedir()
  if (platform === 'win32') {
    const roaming = env.APPDATA || join(home, 'AppData', 'Roaming')
    const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local')
    return { config: join(roaming, appName), state: join(local, appName, 'state'), cache: join(local, appName, 'cache') }
  }
  if (platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support', appName)
    return { config: support, state: join(support, 'state'), cache: join(home, 'Library', 'Caches', appName) }
  }
  const xdg = (name: string, ...fallback: string[]) => join(env[name] || join(home, ...fallback), appName)
  return {
    config: xdg('XDG_CONFIG_HOME', '.config'),
    state: xdg('XDG_STATE_HOME', '.local', 'state'),
    cache: xdg('XDG_CACHE_HOME', '.cache'),
  }
}

export const profilesFile = (folders: Folders): string => join(folders.config, 'profiles.json')

export const keysFile = (folders: Folders): string => join(folders.config, 'keys.json')

/** The SQLite file that remembers one project for one workspace: named by the workspace's address and the project's real path. */
export function projectStateFile(folders: Folders, address: string, projectRoot: string): string {
  const name = createHash('sha256').update(`${address}\0${projectRoot}`).digest('hex').slice(0, 32)
  return join(folders.state, 'projects', `${name}.sqlite`)
}

/** The last walk of the project that the desktop agent had made, beside what is remembered of it (client/project/kept-walk.ts). */
export const keptWalkFile = (stateFile: string): string => `${stateFile}.walk`

/** Of the one desktop agent that works with these folders: its lock, its note with the way to it, its state, its log. */
export const agentFolder = (folders: Folders): string => join(folders.state, 'agent')

/** Held by the one pull that works in a project, beside what is remembered of it. */
export const pullLock = (stateFile: string): string => `${stateFile}.pulling`

/** The folder that holds the mirror of a workspace (client/mirror), named by the workspace's address. */
export const mirrorFolder = (folders: Folders, address: string): string => join(folders.state, 'mirrors', addressName(address))

/** Thumbnails of a workspace that were looked at: they may be deleted at any time. */
export const thumbnailFolder = (folders: Folders, address: string): string =>
  join(folders.cache, 'thumbnails', addressName(address))

/** Which files of the content cache are the previews of a workspace, by artifact. */
export const previewFolder = (folders: Folders, address: string): string => join(folders.cache, 'previews', addressName(address))

/** Of what this machine could make no preview of, for a workspace (client/previews/given-up.ts). */
export const givenUpFile = (folders: Folders, address: string): string =>
  join(folders.state, 'previews', `${addressName(address)}.sqlite`)

/** What one person, or one key, changed in a workspace, for `ph undo` (client/undo/journal.ts). */
export const changesFile = (folders: Folders, address: string, whose: string): string =>
  join(folders.state, 'changes', `${addressName(`${address}\0${whose}`)}.json`)

const addressName = (address: string): string => createHash('sha256').update(address).digest('hex').slice(0, 32)
