/** The system's keychain, where there is one: an entry per account. Loaded only when asked for. */
import type { AsyncEntry } from '@napi-rs/keyring'

const keychainName = 'prop-house'

/** The place of one key, or undefined where the keychain cannot be loaded. */
export async function keychainEntry(account: string): Promise<AsyncEntry | undefined> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    return new AsyncEntry(keychainName, account)
  } catch {
    return undefined
  }
}
