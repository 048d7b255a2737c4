/** A process of its own that reads one key from the keychain and prints its SHA-256: proof that the key outlives its writer. */
import { createHash } from 'node:crypto'
import { keychainEntry } from './keychain.ts'

const [account = ''] = process.argv.slice(2)
const key = await (await keychainEntry(account))?.getPassword()
if (key) process.stdout.write(createHash('sha256').update(key).digest('hex'))
