/** Where a key will be kept: the keychain, or a file when that is what a person wants. */

import { keysFile } from '../../../client/folders.ts'
import { type KeyPlace, keychainWorks } from '../../../client/sign-in/credentials.ts'
import { exits } from '../../../contract/errors.ts'
import { foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'

export interface PlaceChoice {
  isFileAllowed: boolean
  /** The command line so far, for the one who has to add something to it. */
  typed: string
}

/**
 * Decides before a key is made, so that none is made in vain. Without a keychain someone has to agree to the file: on the
 * terminal, or with `--insecure-storage`.
 */
export async function chooseKeyPlace(context: Context, { isFileAllowed, typed }: PlaceChoice): Promise<KeyPlace> {
  if (isFileAllowed) return 'file'
  if (await keychainWorks()) return 'keychain'
  const file = keysFile(foldersOf(context))
  const question = `This system has no keychain that ph could use. Keep the key in ${file}, which only you can read?`
  if (context.interactive && (await askYesOrNo(context, question, false))) return 'file'
  throw new Refusal({
    code: 'NO_KEYCHAIN',
    exit: exits.failed,
    message: 'There is no keychain here to keep the key in.',
    next: `Run \`${typed} --insecure-storage\` to keep it in ${file}, which only you can read. With PH_API_KEY no sign-in is needed.`,
  })
}

/** Where a key is, for sentences. */
export const keyPlaceWords = (context: Context, place: KeyPlace): string =>
  place === 'keychain' ? 'the keychain of this system' : `${keysFile(foldersOf(context))}, which only you can read`
