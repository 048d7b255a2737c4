/** Profiles: which workspace `ph` talks to, as whom, and where the key is kept. */
import { readFile } from 'node:fs/promises'
import { ClientError, systemCode } from '../client-error.ts'
import { type Folders, profilesFile } from '../folders.ts'
import { normalizeAddress } from './address.ts'
import { type KeyPlace, readKey } from './credentials.ts'
import { writeSettings } from './settings-file.ts'

/** One sign-in. Names and scope are as they were then; the server knows better. */
export interface Profile {
  url: string
  workspace: { id: number; slug: string; name: string }
  user: { id: number; name: string; display_name: string }
  scope: 'read' | 'write'
  keyPlace: KeyPlace
  /** The address that was given at the sign-in, where the server named another one for the workspace. */
  askedUrl?: string
  /** `device`: the key was made for this machine alone. `given`, or absent: a person handed it over, and others may use it. */
  origin?: 'device' | 'given'
  signedInAt?: string
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

/** The profile of that name. Names come from command lines, so `constructor` is one like any other. */
export const profileNamed = ({ profiles }: Profiles, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined

/** Adds or replaces a profile and makes it the current one. */
export async function saveProfile(folders: Folders, name: string, profile: Profile): Promise<void> {
  const { profiles } = await readProfiles(folders)
  await writeProfiles(folders, { current: name, profiles: { ...profiles, [name]: profile } })
}

/** Makes another profile the one that is used without asking. */
export async function chooseProfileForUse(folders: Folders, name: string): Promise<void> {
  const { profiles } = await readProfiles(folders)
  await writeProfiles(folders, { current: name, profiles })
}

/** The name that a sign-in is kept under when nobody says one: that of the same workspace, else one that is free. */
export function profileNameFor({ current, profiles }: Profiles, { url, slug }: { url: string; slug: string }): string {
  const isSame = ({ url: known, workspace }: Profile) =>
    known === url || (workspace.slug === slug && URL.parse(known)?.origin === new URL(url).origin)
  const names = Object.keys(profiles)
  const same = [current, ...names].find((name) => name !== undefined && profiles[name] && isSame(profiles[name]))
  if (same !== undefined) return same
  const wished = ['default', slug, `${slug}-${new URL(url).hostname}`]
  const free = [...wished, ...names.map((_, index) => `${slug}-${index + 2}`)]
  return free.find((name) => !Object.hasOwn(profiles, name)) ?? `${slug}-${names.length + 2}`
}

/** Forgets a profile; the first of the others becomes the current one when it was that. */
export async function removeProfile(folders: Folders, name: string): Promise<void> {
  const { current, profiles } = await readProfiles(folders)
  const { [name]: _removed, ...others } = profiles
  await writeProfiles(folders, { current: current === name ? Object.keys(others)[0] : current, profiles: others })
}

const writeProfiles = (folders: Folders, profiles: Profiles) => writeSettings(profilesFile(folders), profiles)

export interface ConnectionChoice {
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
 * Throws ClientError `NO_PROFILE` for an unknown name, `NO_SERVER` when there is no address at all, `NOT_A_KEY` for a given key that can be none.
 */
export async function findConnection(folders: Folders, choice: ConnectionChoice): Promise<Connection> {
  const { to, own } = await findServer(folders, choice)
  const found = own ? { profileName: own.name, profile: own.profile } : {}
  const key = givenKey(choice.key)
  if (key) return { url: to, key, keySource: 'environment', ...found }
  const kept = own && (await readKey(folders, keyAccount(own.name, to), own.profile.keyPlace))
  return { url: to, key: kept, keySource: own && kept ? own.profile.keyPlace : 'none', ...found }
}

/** Without the line end that a file or a secret store put behind it. What no header can carry, or what stands in quotes, is no key. */
function givenKey(text = ''): string | undefined {
  const key = text.trim()
  const wrong = /["'`]/.test(key) ? 'quotation marks' : /\s/.test(key) ? 'a blank or a line end' : undefined
  const what = wrong ?? (/[^\x21-\x7e]/.test(key) ? 'letters that no key has' : undefined)
  if (what !== undefined) throw new ClientError('NOT_A_KEY', `The key that was given (PH_API_KEY) holds ${what}: that is no key.`)
  return key === '' ? undefined : key
}

/** The same, for what needs no key: none is looked for. */
export const findAddress = async (folders: Folders, choice: ConnectionChoice): Promise<string> =>
  (await findServer(folders, choice)).to

async function findServer(folders: Folders, { url: given, profile: name }: ConnectionChoice) {
  const url = given === undefined ? undefined : normalizeAddress(given)
  const known = await readProfiles(folders)
  // Signing in under a new name gives the address along.
  if (name !== undefined && url === undefined && !profileNamed(known, name))
    throw new ClientError('NO_PROFILE', `There is no profile ${name}.`)
  const own = findProfileFor(known, { profile: name, url })
  const to = own?.profile.url ?? url
  if (to === undefined) throw new ClientError('NO_SERVER', 'ph does not know which server to talk to.')
  return { to, own }
}

/** The profile of a name, of an address, or of both; the current one when neither is given. Addresses are normalized. */
export function findProfileFor(
  known: Profiles,
  { profile: name, url }: Pick<ConnectionChoice, 'profile' | 'url'>,
): { name: string; profile: Profile } | undefined {
  const all = name === undefined ? [known.current, ...(url === undefined ? [] : Object.keys(known.profiles))] : [name]
  for (const one of all) {
    const profile = one === undefined ? undefined : profileNamed(known, one)
    if (one === undefined || !profile) continue
    if (url === undefined || profile.url === url || profile.askedUrl === url) return { name: one, profile }
  }
  return undefined
}
