/** A key that the server refuses: which one it was, and the command that signs in again. */
import { type Connection, findConnection } from '../client/sign-in/profile.ts'
import { type ApiError, exits } from '../contract/errors.ts'
import { shellWord } from '../system/shell-word.ts'
import { connectionChoice, foldersOf } from './connection.ts'
import type { Context } from './context.ts'
import { Refusal } from './refusal.ts'

/** The failure in one sentence, with the server's own reason. */
export async function explainRefusedKey(error: ApiError, context: Context): Promise<ApiError | Refusal> {
  const connection = await findConnection(foldersOf(context), connectionChoice(context))
  const { url, keySource } = connection
  if (keySource === 'none') return error
  const { message, details, code } = error
  const refused = `${url} refused ${keyWords(connection)}: ${message}`
  return new Refusal({ code, exit: exits.signIn, message: refused, details, next: nextFor(connection, context) })
}

const keyWords = ({ keySource, profileName }: Connection): string =>
  keySource === 'environment' ? 'the key in PH_API_KEY' : `the key of profile ${profileName}`

function nextFor({ keySource, url, profileName }: Connection, { globals }: Context): string {
  if (keySource === 'environment')
    return `Set PH_API_KEY to a key that is valid there, or unset it and run \`ph login --url ${shellWord(url)}\`.`
  const profile = globals.profile ?? profileName
  return `Sign in again: \`ph login --profile ${shellWord(profile ?? 'default')}\`.`
}
