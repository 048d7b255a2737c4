/** A new password, from the terminal or from standard input; never from the command line, which every user of the machine can read. */
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../refusal.ts'
import { readAll, readSecret } from '../../terminal/standard-input.ts'

/** More than this is no password. */
const longestBytes = 4096

export async function readNewPassword(context: Context, whose: string): Promise<string> {
  if (!context.stdin.isTTY) return required(await piped(context))
  const password = required(await readSecret(context, `New password of ${whose} (it is not shown), then Enter: `))
  const again = await readSecret(context, 'The same once more: ')
  if (again !== password) throw wrongUsage('The two passwords differ.', 'Run the command again.')
  return password
}

/** One line; the line break at its end is none of the password. */
const piped = async (context: Context): Promise<string> =>
  (await readAll(context, 'The password', longestBytes)).toString('utf8').replace(/\r?\n$/, '')

function required(password: string): string {
  if (password.length < 8 || password.length > 200)
    throw wrongUsage(
      password === '' ? 'No password came on standard input.' : 'A password has 8 to 200 characters.',
      'Type it when asked, or pipe it in: the same command with `< password.txt` behind it.',
    )
  if (/[\r\n]/.test(password)) throw wrongUsage('The password holds a line break.', 'Pipe in one line.')
  return password
}
