/** Keys at rest: in the system's keychain where that truly keeps them, else in a file that only its owner may read. */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ClientError, systemCode } from '../client-error.ts'
import { type Folders, keysFile } from '../folders.ts'
import { keychainEntry } from './keychain.ts'
import { writeSettings } from './settings-file.ts'

export type KeyPlace = 'keychain' | 'file'

/** How long the keychain may take; a locked one that asks a person is not waited for any longer. */
const answerMs = 15_000

/**
 * Keeps `key` under `account` (address and profile). Throws ClientError `KEYCHAIN_REFUSED` when the keychain does not keep it:
 * it counts only once another process has read the key back, as without a Secret Service it would land in the kernel's
 * keyring, which forgets it.
 */
export async function storeKey(folders: Folders, account: string, { key, place }: { key: string; place: KeyPlace }) {
  if (place === 'file') await writeKeysFile(folders, { ...(await readKeysFile(folders)), [account]: key })
  else if (!(await storeInKeychain(account, key)))
    throw new ClientError('KEYCHAIN_REFUSED', 'The keychain of this system did not keep the key.')
}

/** Whether this system has a keychain that keeps what is put into it. Tries it, and leaves nothing there. */
export async function keychainWorks(): Promise<boolean> {
  const account = `check ${randomUUID()}`
  const works = await storeInKeychain(account, randomUUID())
  if (works) await removeFromKeychain(account)
  return works
}

/**
 * The key kept under `account`, or undefined. Throws ClientError `KEY_FILE_OPEN` when others may read the file,
 * `KEYCHAIN_REFUSED` when the keychain is locked or away.
 */
export async function readKey(folders: Folders, account: string, place: KeyPlace): Promise<string | undefined> {
  if (place === 'file') return (await readKeysFile(folders))[account]
  try {
    return (await (await keychainEntry(account))?.getPassword(AbortSignal.timeout(answerMs))) ?? undefined
  } catch (cause) {
    throw new ClientError('KEYCHAIN_REFUSED', 'The keychain of this system, which holds the key, cannot be read.', { cause })
  }
}

/** Forgets the key kept under `account`. */
export async function removeKey(folders: Folders, account: string, place: KeyPlace): Promise<void> {
  if (place === 'keychain') await removeFromKeychain(account)
  else await removeFromFile(folders, account)
}

async function removeFromKeychain(account: string): Promise<void> {
  await (await keychainEntry(account))?.deletePassword(AbortSignal.timeout(answerMs)).catch(() => false)
}

async function storeInKeychain(account: string, key: string): Promise<boolean> {
  const entry = await keychainEntry(account)
  if (!entry) return false
  try {
    await entry.setPassword(key, AbortSignal.timeout(answerMs))
    if (await anotherProcessReads(account, key)) return true
  } catch {
    // No keychain, or a locked one.
  }
  await removeFromKeychain(account)
  return false
}

const readerFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './keychain-reader.ts' : './keychain-reader.js', import.meta.url),
)

/** The reader prints a digest, so that the key itself passes through no pipe. */
async function anotherProcessReads(account: string, key: string): Promise<boolean> {
  const digest = createHash('sha256').update(key).digest('hex')
  const run = promisify(execFile)
  const answer = await run(process.execPath, [readerFile, account], { timeout: answerMs }).catch(() => undefined)
  return answer?.stdout.trim() === digest
}

async function readKeysFile(folders: Folders): Promise<Record<string, string>> {
  const path = keysFile(folders)
  try {
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new ClientError('KEY_FILE_OPEN', `Others on this machine may read the keys in ${path}.`, {
        next: `Run \`chmod 600 ${path}\`, then the command again.`,
      })
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {}
    if (error instanceof SyntaxError) throw new ClientError('SETTINGS_DAMAGED', `${path} is not the JSON it should be.`)
    throw error
  }
}

async function removeFromFile(folders: Folders, account: string): Promise<void> {
  const { [account]: removed, ...others } = await readKeysFile(folders)
  if (removed !== undefined) await writeKeysFile(folders, others)
}

const writeKeysFile = (folders: Folders, keys: Record<string, string>) => writeSettings(keysFile(folders), keys)
