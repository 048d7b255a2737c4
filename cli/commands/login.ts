/** `ph login`: keeps a key for a workspace, after the server has said whose it is. */

import { normalizeAddress } from '../../client/address.ts'
import { ClientError } from '../../client/client-error.ts'
import { keysFile } from '../../client/folders.ts'
import { findConnection } from '../../client/profile.ts'
import { signInWithKey } from '../../client/sign-in.ts'
import { ApiError, exits } from '../../contract/errors.ts'
import { command, flag } from '../command.ts'
import { clientName, foldersOf, wantedOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { Refusal, wrongUsage } from '../refusal.ts'
import { readAll, readSecret } from '../standard-input.ts'

/** A key has 48 characters; more than this is something else. */
const longestKeyBytes = 4096
const defaultProfile = 'default'

export const commands = [
  command({
    usage: 'login',
    description:
      'The key comes from the workspace: whoever runs the server makes it. It is tried first, then kept in the keychain of this system, or in a file that only you can read where there is no keychain.',
    options: {
      withKey: flag('--with-key', 'read the key from standard input; on a terminal it is asked for and not shown'),
      keyInFile: flag('--key-in-file', 'keep the key in the file even where there is a keychain'),
    },
    examples: [
      ['login --with-key --url https://props.example.com/w/acme', 'sign in; paste the key when asked'],
      ['login --with-key --url http://localhost:7410 < key.txt', 'the same with the key out of a file'],
      ['login --with-key --profile studio --url props.example.com', 'keep it beside other sign-ins, as profile studio'],
    ],
    async run(context, { withKey, keyInFile }) {
      if (!withKey)
        throw wrongUsage(
          '`ph login` needs to be told where the key is.',
          'Run `ph login --with-key` and paste the key, or pipe it in.',
        )
      const folders = foldersOf(context)
      const url = await addressOf(context)
      const profileName = context.globals.profile ?? defaultProfile
      const signIn = { url, key: await readKey(context), profileName, preferred: keyInFile ? ('file' as const) : undefined }
      const { identity, profile } = await signInWithKey(folders, {
        ...signIn,
        clientName: clientName(),
        signal: context.signal,
      }).catch((error: unknown) => {
        throw signInFailure(error, url)
      })
      const { user, org, scope, name } = identity
      const place =
        profile.keyPlace === 'keychain' ? 'the keychain of this system' : `${keysFile(folders)}, which only you can read`
      context.out.result({ ...identity, url, profile: profileName, key_place: profile.keyPlace }, [
        `Signed in to ${org.name} at ${url} as ${user.display_name}.`,
        `The ${scope} key "${name}" is kept in ${place}.`,
      ])
      return undefined
    },
  }),
]

/** Whoever has just given a key and an address is told to look at these. */
function signInFailure(error: unknown, url: string): unknown {
  if (!(error instanceof ApiError)) return error
  const { code, message, details } = error
  if (code === 'NOT_FOUND')
    return new Refusal({
      code,
      exit: exits.failed,
      message,
      details,
      next: 'The name of the workspace stands after /w/ in the address.',
    })
  if (code !== 'UNAUTHORIZED') return error
  return new Refusal({
    code,
    exit: exits.signIn,
    message: `${url} does not take this key: it is mistyped or revoked, or its owner has left the workspace.`,
    details,
    next: 'Paste the whole key, or ask whoever runs the server for a new one.',
  })
}

/** The address as given, or that of the profile that is signed in to anew. */
async function addressOf(context: Context): Promise<string> {
  const { url } = wantedOf(context)
  if (url !== undefined) return normalizeAddress(url)
  try {
    return (await findConnection(foldersOf(context), wantedOf(context))).url
  } catch (error) {
    if (!(error instanceof ClientError) || (error.code !== 'NO_SERVER' && error.code !== 'NO_PROFILE')) throw error
    throw wrongUsage(
      'It is not known where to sign in.',
      'Give the address: `ph login --with-key --url https://props.example.com/w/acme`.',
    )
  }
}

async function readKey(context: Context): Promise<string> {
  const typed = context.stdin.isTTY
    ? await readSecret(context, 'Paste the key (it is not shown), then press Enter: ')
    : (await readAll(context, 'The key', longestKeyBytes)).toString('utf8')
  const key = typed.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw wrongUsage(
    key === '' ? 'No key came on standard input.' : 'What came on standard input is not a key.',
    'Pipe the key in, and nothing else: `ph login --with-key < key.txt`.',
  )
}
