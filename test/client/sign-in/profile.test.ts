/** Profiles and keys: where they are kept, and to whom a key is given. */
import { chmodSync, statSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { type Folders, findFolders, keysFile, projectStateFile } from '../../../client/folders.ts'
import { normalizeAddress } from '../../../client/sign-in/address.ts'
import { keychainWorks, readKey, removeKey, storeKey } from '../../../client/sign-in/credentials.ts'
import {
  findConnection,
  keyAccount,
  type Profile,
  profileNameFor,
  readProfiles,
  removeProfile,
  saveProfile,
} from '../../../client/sign-in/profile.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// A desktop's own keychain stays untouched by tests.
const inFile = (key: string) => ({ key, place: 'file' }) as const

const inTemporary = (): Folders => findFolders({ PH_CONFIG_DIR: temporaryFolder() })

const profileFor = (url: string): Profile => ({
  url,
  workspace: { id: 1, slug: 'acme', name: 'Acme' },
  user: { id: 2, name: 'ada', display_name: 'Ada L' },
  scope: 'write',
  keyPlace: 'file',
})

test('folders follow XDG on Linux, the platform elsewhere, and PH_ variables everywhere', () => {
  expect(findFolders({ HOME: '/h' }, 'linux')).toEqual({
    config: '/h/.config/prop-house',
    state: '/h/.local/state/prop-house',
    cache: '/h/.cache/prop-house',
  })
  expect(findFolders({ HOME: '/h', XDG_STATE_HOME: '/s' }, 'linux').state).toBe('/s/prop-house')
  expect(findFolders({ HOME: '/h' }, 'darwin').cache).toBe('/h/Library/Caches/prop-house')
  expect(findFolders({ HOME: '/h', PH_STATE_DIR: '/x' }, 'darwin').state).toBe('/x')
})

test('what is remembered of a project is kept apart by workspace and by path', () => {
  const folders = findFolders({ HOME: '/h' }, 'linux')
  const files = [
    projectStateFile(folders, 'https://a/w/x', '/p'),
    projectStateFile(folders, 'https://a/w/y', '/p'),
    projectStateFile(folders, 'https://a/w/x', '/q'),
  ]
  expect(new Set(files).size).toBe(3)
})

test('addresses are written down in one way', () => {
  expect(normalizeAddress('https://Props.example.com/w/acme/')).toBe('https://props.example.com/w/acme')
  expect(normalizeAddress('https://props.example.com/w/acme/api/v1/')).toBe('https://props.example.com/w/acme')
  expect(normalizeAddress('localhost:7410')).toBe('http://localhost:7410')
  expect(normalizeAddress('props.example.com')).toBe('https://props.example.com')
  for (const wrong of ['ftp://x', 'http://', 'https://user:secret@x'])
    expect(() => normalizeAddress(wrong)).toThrow(expect.objectContaining({ code: 'WRONG_ADDRESS' }))
})

test('a key in the file is readable for its owner only, and gone after removal', async () => {
  const folders = inTemporary()
  await storeKey(folders, 'me https://a', inFile('ph_live_a'))
  await storeKey(folders, 'me https://b', inFile('ph_live_b'))
  expect(statSync(keysFile(folders)).mode & 0o777).toBe(0o600)
  expect(await readKey(folders, 'me https://a', 'file')).toBe('ph_live_a')
  await removeKey(folders, 'me https://a', 'file')
  expect(await readKey(folders, 'me https://a', 'file')).toBeUndefined()
  expect(await readKey(folders, 'me https://b', 'file')).toBe('ph_live_b')
})

test('a key file that others may read is not used', async () => {
  const folders = inTemporary()
  await storeKey(folders, 'me https://a', inFile('ph_live_a'))
  chmodSync(keysFile(folders), 0o644)
  await expect(readKey(folders, 'me https://a', 'file')).rejects.toMatchObject({ code: 'KEY_FILE_OPEN' })
})

test('a keychain that forgets is not trusted: it does not work, and takes no key', async () => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  const folders = inTemporary()
  const isKept = await keychainWorks()
  const storing = storeKey(folders, 'test https://a', { key: 'ph_live_a', place: 'keychain' })
  if (isKept) await storing
  else await expect(storing).rejects.toMatchObject({ code: 'KEYCHAIN_REFUSED' })
  await removeKey(folders, 'test https://a', 'keychain')
  if (process.platform === 'linux') expect(isKept).toBe(false)
})

test('the last sign-in is the current profile, and the next one takes over when it goes', async () => {
  const folders = inTemporary()
  await saveProfile(folders, 'work', profileFor('https://a'))
  await saveProfile(folders, 'home', profileFor('https://b'))
  expect((await readProfiles(folders)).current).toBe('home')
  await removeProfile(folders, 'home')
  expect(await readProfiles(folders)).toMatchObject({ current: 'work', profiles: { work: { url: 'https://a' } } })
})

test("a profile's key is used for that profile's address and no other", async () => {
  const folders = inTemporary()
  await saveProfile(folders, 'work', profileFor('https://a'))
  await storeKey(folders, keyAccount('work', 'https://a'), inFile('ph_live_a'))
  expect(await findConnection(folders, {})).toMatchObject({ url: 'https://a', key: 'ph_live_a', keySource: 'file' })
  expect(await findConnection(folders, { url: 'https://a/' })).toMatchObject({ key: 'ph_live_a', profileName: 'work' })
  expect(await findConnection(folders, { url: 'https://evil' })).toMatchObject({ key: undefined, keySource: 'none' })
  const crossed = await findConnection(folders, { url: 'https://evil', profile: 'work' })
  expect(crossed).toMatchObject({ url: 'https://evil', key: undefined })
})

test('a key from the environment wins, and no address at all is said', async () => {
  const folders = inTemporary()
  await expect(findConnection(folders, { key: 'ph_live_x' })).rejects.toMatchObject({ code: 'NO_SERVER' })
  await expect(findConnection(folders, { profile: 'nobody' })).rejects.toMatchObject({ code: 'NO_PROFILE' })
  await saveProfile(folders, 'work', profileFor('https://a'))
  expect(await findConnection(folders, { key: 'ph_live_x' })).toMatchObject({
    url: 'https://a',
    key: 'ph_live_x',
    keySource: 'environment',
  })
})

test('the address that was typed at the sign-in leads to the workspace that was signed in to', async () => {
  const folders = inTemporary()
  await saveProfile(folders, 'work', { ...profileFor('https://a/w/acme'), askedUrl: 'https://a' })
  await storeKey(folders, keyAccount('work', 'https://a/w/acme'), inFile('ph_live_a'))
  expect(await findConnection(folders, { url: 'https://a' })).toMatchObject({ url: 'https://a/w/acme', key: 'ph_live_a' })
  expect(await findConnection(folders, { url: 'https://a/w/other' })).toMatchObject({ url: 'https://a/w/other', key: undefined })
})

test('a sign-in without a name takes the profile of its workspace, else one that nobody has', () => {
  const [acme, other] = [profileFor('https://a/w/acme'), profileFor('https://b/w/acme')]
  const at = (url: string, slug = 'acme') => ({ url, slug })
  expect(profileNameFor({ current: undefined, profiles: {} }, at('https://a'))).toBe('default')
  expect(profileNameFor({ current: 'default', profiles: { default: acme } }, at('https://a/w/acme'))).toBe('default')
  expect(profileNameFor({ current: 'default', profiles: { default: acme } }, at('https://b/w/acme'))).toBe('acme')
  expect(profileNameFor({ current: 'default', profiles: { default: acme, acme: other } }, at('https://c'))).toBe('acme-c')
  expect(profileNameFor({ current: 'default', profiles: { default: acme, acme: other } }, at('https://b/w/acme'))).toBe('acme')
})

test('a profile may be called whatever its owner likes', async () => {
  const folders = inTemporary()
  await expect(findConnection(folders, { profile: 'constructor' })).rejects.toMatchObject({ code: 'NO_PROFILE' })
  await expect(findConnection(folders, { profile: '__proto__' })).rejects.toMatchObject({ code: 'NO_PROFILE' })
  await saveProfile(folders, '__proto__', profileFor('https://a'))
  expect(await findConnection(folders, { profile: '__proto__' })).toMatchObject({ url: 'https://a', profileName: '__proto__' })
})

test.each(['\n', '\r', '\r\n', ' ', '\t\n', '\ufeff'])(
  'a given key is used without the %j that a file put behind it',
  async (end) => {
    const choice = { url: 'https://props.example/w/acme', key: `${end}ph_live_abc${end}` }
    expect(await findConnection(inTemporary(), choice)).toMatchObject({ key: 'ph_live_abc', keySource: 'environment' })
  },
)

test.each([
  ['"ph_live_abc"', 'quotation marks'],
  ['ph_live_\nabc', 'a blank or a line end'],
  ['ph_live_ abc', 'a blank or a line end'],
  ['ph_live_äbc', 'letters that no key has'],
])('a given key that can be none is refused before it is sent: %j', async (key, what) => {
  const message = `The key that was given (PH_API_KEY) holds ${what}: that is no key.`
  await expect(findConnection(inTemporary(), { url: 'https://props.example/w/acme', key })).rejects.toMatchObject({
    code: 'NOT_A_KEY',
    message,
  })
})

test('a given key of line ends alone is none', async () => {
  expect(await findConnection(inTemporary(), { url: 'https://props.example/w/acme', key: '\n' })).toMatchObject({
    keySource: 'none',
  })
})
