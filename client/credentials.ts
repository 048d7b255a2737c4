/** Keys at rest: in the system's keychain where that truly keeps them, else in a file that only its owner may read. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ClientError, systemCode } from './client-error.ts'
import { type Folders, keysFile } from './folders.ts'
import { keychainEntry } from './keychain.ts'
import { writeSettings } from './settings-file.ts'

export type KeyPlace = 'keychain' | 'file'

/** How long another process may take to read a key back; a locked keychain that asks a person is not waited for. */
const readBackMs = 15_000

/**
 * Keeps `key` under `account` (address and profile). The keychain counts only once another process has read the key back:
 * without a Secret Service it would land in the kernel's keyring, which forgets it. `preferred: 'file'` leaves it out.
 * Answers where the key is.
 */
export async function storeKey(folders: Folders, account: string, { key, preferred }: { key: string; preferred?: KeyPlace }) {
  if (preferred !== 'file' && (await storeInKeychain(account, key))) return 'keychain' satisfies KeyPlace
  await writeKeysFile(folders, { ...(await readKeysFile(folders)), [account]: key })
  return 'file' satisfies KeyPlace
}

/** The key kept under `account`, or undefined. Throws ClientError `KEY_FILE_OPEN` when others may read the file. */
export async function readKey(folders: Folders, account: string, place: KeyPlace): Promise<string | undefined> {
  if (place === 'file') return (await readKeysFile(folders))[account]
  return (await (await keychainEntry(account))?.getPassword().catch(() => null)) ?? undefined
}

/** Forgets the key kept under `account`. */
export async function removeKey(folders: Folders, account: string, place: KeyPlace): Promise<void> {
  if (place === 'keychain') await (await keychainEntry(account))?.deletePassword().catch(() => false)
  else await removeFromFile(folders, account)
}

async function storeInKeychain(account: string, key: string): Promise<boolean> {
  const entry = await keychainEntry(account)
  if (!entry) return false
  try {
    await entry.setPassword(key, AbortSignal.timeout(readBackMs))
    if (await anotherProcessReads(account, key)) return true
  } catch {
    // No keychain, or a locked one: the file takes the key.
  }
  await entry.deletePassword().catch(() => false)
  return false
}

const readerFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './keychain-reader.ts' : './keychain-reader.js', import.meta.url),
)

/** The reader prints a digest, so that the key itself passes through no pipe. */
async function anotherProcessReads(account: string, key: string): Promise<boolean> {
  const digest = createHash('sha256').update(key).digest('hex')
  const run = promisify(execFile)
  const answer = await run(process.execPath, [readerFile, account], { timeout: readBackMs }).catch(() => undefined)
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
