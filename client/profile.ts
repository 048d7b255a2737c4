/** Profiles: which workspace `ph` talks to, as whom, and where the key is kept. */
import { readFile } from 'node:fs/promises'
import { normalizeAddress } from './address.ts'
import { ClientError, systemCode } from './client-error.ts'
import { type KeyPlace, readKey } from './credentials.ts'
import { type Folders, profilesFile } from './folders.ts'
import { writeSettings } from './settings-file.ts'

/** One sign-in. Names and scope are as they were then; the server knows better. */
export interface Profile {
  url: string
  workspace: { id: number; slug: string; name: string }
  user: { id: number; name: string; display_name: string }
  scope: 'read' | 'write'
  keyPlace: KeyPlace
}

/** `current` is the profile of the last sign-in. */
export interface Profiles {
  current: string | undefined
  profiles: Record<string, Profile>
}

/** Under which name a profile's key is kept. */
export const keyAccount = (profileName: string, url: string): string => `${profileName} ${url}`

/** Every profile; none when nobody has signed in. Throws ClientError `SETTINGS_DAMAGED`. */
export async function readProfiles(folders: Folders): Promise<Profiles> {
  const path = profilesFile(folders)
  try {
    const { current, profiles } = JSON.parse(await readFile(path, 'utf8')) as Partial<Profiles>
    return { current, profiles: profiles ?? {} }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { current: undefined, profiles: {} }
    if (error instanceof SyntaxError) throw new ClientError('SETTINGS_DAMAGED', `${path} is not the JSON it should be.`)
    throw error
  }
}

/** Adds or replaces a profile and makes it the current one. */
export async function saveProfile(folders: Folders, name: string, profile: Profile): Promise<void> {
  const { profiles } = await readProfiles(folders)
  await writeProfiles(folders, { current: name, profiles: { ...profiles, [name]: profile } })
}

/** Forgets a profile; the first of the others becomes the current one when it was that. */
export async function removeProfile(folders: Folders, name: string): Promise<void> {
  const { current, profiles } = await readProfiles(folders)
  const { [name]: _removed, ...others } = profiles
  await writeProfiles(folders, { current: current === name ? Object.keys(others)[0] : current, profiles: others })
}

const writeProfiles = (folders: Folders, profiles: Profiles) => writeSettings(profilesFile(folders), profiles)

export interface Wanted {
  /** `--url`, `PH_URL`, `--profile`, `PH_API_KEY`, as far as they were given. */
  url?: string
  profile?: string
  key?: string
}

/** A workspace and the key for it. `keySource` says where the key came from, `profileName` whose it is. */
export interface Connection {
  url: string
  key: string | undefined
  keySource: 'environment' | KeyPlace | 'none'
  profileName?: string
  profile?: Profile
}

/**
 * Decides which server to talk to and with which key: an address that was given wins over the profile's. A profile's key
 * is used for that profile's address only, so it never travels to another server.
 * Throws ClientError `NO_PROFILE` for an unknown name, `NO_SERVER` when there is no address at all.
 */
export async function findConnection(folders: Folders, wanted: Wanted): Promise<Connection> {
  const [profileName, profile] = await chooseProfile(folders, wanted)
  const url = wanted.url ? normalizeAddress(wanted.url) : profile?.url
  if (!url) throw new ClientError('NO_SERVER', 'It is not known which server to talk to.')
  const own = profile && profile.url === url && profileName !== undefined ? { profileName, profile } : {}
  if (wanted.key) return { url, key: wanted.key, keySource: 'environment', ...own }
  if (!own.profile) return { url, key: undefined, keySource: 'none' }
  const key = await readKey(folders, keyAccount(own.profileName, url), own.profile.keyPlace)
  return { url, key, keySource: key ? own.profile.keyPlace : 'none', ...own }
}

async function chooseProfile(
  folders: Folders,
  wanted: Wanted,
): Promise<[name: string | undefined, profile: Profile | undefined]> {
  const { current, profiles } = await readProfiles(folders)
  if (wanted.profile !== undefined) {
    const profile = profiles[wanted.profile]
    // Signing in under a new name gives the address along.
    if (!profile && !wanted.url) throw new ClientError('NO_PROFILE', `There is no profile ${wanted.profile}.`)
    return [wanted.profile, profile]
  }
  if (wanted.url) {
    const url = normalizeAddress(wanted.url)
    const names = [current, ...Object.keys(profiles)].filter((name) => name !== undefined)
    const name = names.find((candidate) => profiles[candidate]?.url === url)
    return [name, name === undefined ? undefined : profiles[name]]
  }
  return [current, current === undefined ? undefined : profiles[current]]
}
