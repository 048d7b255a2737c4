/** `ph login`: gets a key for a workspace, by an approval in the browser or by hand, and keeps it. */
import type { KeyPlace } from '../../client/sign-in/credentials.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { among, command, flag, value } from '../command.ts'
import type { Context } from '../context.ts'
import { tellPlainHttp } from '../plain-http.ts'
import { wrongUsage } from '../refusal.ts'
import { readAll, readSecret } from '../terminal/standard-input.ts'
import { askYesOrNo } from '../terminal/yes-or-no.ts'
import { signInAddress } from './login/address.ts'
import { askForCode, signInByDevice } from './login/device-login.ts'
import { type KeyScope, scopeWords } from './login/device-screen.ts'
import { type SignedIn, takeGivenKey, takeIssuedKey } from './login/keeping.ts'
import { chooseKeyPlace, keyPlaceWords } from './login/key-place.ts'
import { findSignIn, goOnWith, type PresentSignIn } from './login/present.ts'

/** A key has 48 characters; more than this is something else. */
const longestKeyBytes = 4096
const profilePattern = /^[\w][\w.@-]{0,63}$/

interface LoginInput {
  withKey: boolean
  scope: KeyScope | undefined
  noBrowser: boolean
  insecureStorage: boolean
  again: boolean
}

export const commands = [
  command({
    usage: 'login',
    description:
      'Shows a code and opens the page of the workspace, where you approve the code. You can open that page on another device, so this works over SSH and in containers. The new key is kept in the keychain of this system. Without a keychain it is kept in a file that only you can read, if you agree. Without --url it signs in where the profile is signed in, or to a server on this machine. With --json, the code and the address are one line of JSON on stderr.',
    options: {
      scope: value(
        '--scope <scope>',
        'what the key may do: read, or write to pull and push as well (default: write)',
        among(['read', 'write'], readScope),
      ),
      noBrowser: flag('--no-browser', 'only show the address, open nothing'),
      withKey: flag('--with-key', 'read a key from standard input instead; on a terminal it is asked for and not shown'),
      insecureStorage: flag('--insecure-storage', 'keep the key in a file that only you can read, not in the keychain'),
      again: flag('--again', 'get a new key, also when you are signed in already'),
    },
    examples: [
      ['login --url https://props.example.com/w/acme', 'sign in by a click in the browser'],
      ['login', 'again to the same workspace, or to a server on this machine'],
      ['login --profile studio --url props.example.com', 'beside other sign-ins, as profile studio'],
      ['login --with-key --insecure-storage --url http://localhost:7410 < key.txt', 'with a key out of a file, for a script'],
    ],
    async run(context, input) {
      const { profile } = context.globals
      if (profile !== undefined && !profilePattern.test(profile))
        throw wrongUsage(`${profile} is not a name for a profile.`, 'Use letters, digits, dots, dashes: `--profile studio`.')
      const url = await signInAddress(context)
      tellPlainHttp(context, url, 'key')
      const present = input.withKey || input.again ? undefined : await findSignIn(context, url, input.scope ?? 'read')
      if (present && !(await wantsAnother(context, present))) {
        await goOnWith(context, present)
        context.out.result(present.told, () => presentWords(context, present).join('\n'))
        return undefined
      }
      const signedIn = input.withKey ? await withKey(context, url, input) : await withBrowser(context, url, input)
      context.out.result(signedIn.told, () => signedInWords(context, signedIn).join('\n'))
      if (context.env.PH_API_KEY && profile === undefined)
        context.out.note('PH_API_KEY is set, and goes before this sign-in: unset it to use the new key.')
      return undefined
    },
  }),
]

function readScope(given: string): KeyScope {
  if (given === 'read' || given === 'write') return given
  throw wrongUsage(`--scope takes read or write, not "${given}".`, `write: ${scopeWords.write}; read: ${scopeWords.read}.`)
}

async function withBrowser(context: Context, url: string, input: LoginInput): Promise<SignedIn> {
  const { scope = 'write', noBrowser } = input
  const login = { url, scope, noBrowser }
  const code = await askForCode(context, login)
  const keyPlace = await keyPlaceFor(context, input)
  const issued = await signInByDevice(context, login, code)
  if (issued.scope !== scope) context.out.note(`The key was approved with ${issued.scope} scope, not with ${scope} scope.`)
  return takeIssuedKey(context, { askedUrl: url, issued, keyPlace })
}

async function withKey(context: Context, url: string, input: LoginInput): Promise<SignedIn> {
  if (input.scope !== undefined)
    throw wrongUsage('A key that exists has its scope already.', 'Leave --scope out, or sign in without --with-key.')
  const key = await readKey(context)
  return takeGivenKey(context, { url, key, keyPlace: () => keyPlaceFor(context, input) })
}

function keyPlaceFor(context: Context, { insecureStorage, withKey: isWithKey }: LoginInput): Promise<KeyPlace> {
  const { url, profile } = context.globals
  const words = ['ph login', ...(isWithKey ? ['--with-key'] : [])]
  if (url !== undefined) words.push('--url', shellWord(url))
  if (profile !== undefined) words.push('--profile', shellWord(profile))
  return chooseKeyPlace(context, { isFileAllowed: insecureStorage, typed: words.join(' ') })
}

async function readKey(context: Context): Promise<string> {
  const typed = context.stdin.isTTY
    ? await readSecret(context, 'Paste the key (it is not shown), then press Enter: ')
    : (await readAll(context, 'The key', longestKeyBytes)).toString('utf8')
  const key = typed.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw wrongUsage(
    key === '' ? 'No key came on standard input.' : 'The text on standard input is not a key.',
    'Pipe the key in, and nothing else: `ph login --with-key < key.txt`.',
  )
}

/** Someone who is signed in and asks for it again may want another key; a script wants to be signed in. */
async function wantsAnother(context: Context, present: PresentSignIn): Promise<boolean> {
  if (!context.interactive) return false
  for (const line of presentWords(context, present)) context.out.note(line)
  return askYesOrNo(context, 'Sign in anew, with a new key?', false)
}

function presentWords(context: Context, { told }: PresentSignIn): string[] {
  const { user, org, scope, url, key_place, profile } = told
  return [
    `Signed in already to ${printable(org.name)} at ${url} as ${printable(user.display_name)}, as profile ${profile}.`,
    `The ${scope} key is in ${keyPlaceWords(context, key_place)}. \`ph login --again\` gets a new one.`,
  ]
}

function signedInWords(context: Context, { told, replaced }: SignedIn): string[] {
  const { user, org, scope, name, url, key_place, profile } = told
  const kept = keyPlaceWords(context, key_place)
  const lines = [
    `Signed in to ${printable(org.name)} at ${url} as ${printable(user.display_name)}.`,
    `The ${scope} key "${printable(name)}" is kept in ${kept}.`,
  ]
  if (profile !== 'default') lines.push(`It is the profile ${profile}, which ph uses from now on.`)
  if (replaced?.revoked) lines.push('The key that was kept here before is revoked.')
  else if (replaced) lines.push('The key that was kept here before is forgotten, and stays valid on its server.')
  return lines
}
