/** What `--fields` without names tells: the fields of a command's document. */
import { exits } from '../../contract/errors.ts'
import { commandFor, wordsOf } from '../command-line/command-words.ts'
import type { Surroundings } from '../context.ts'
import { firstWords } from '../first-words.ts'
import { wrongUsage } from '../refusal.ts'
import { shapes, withoutDocument } from './schemas/all.ts'
import { fieldsOf } from './schemas/fields.ts'

/** Prints them, one a line; nothing else of the command is read or done. Gives the exit code. */
export async function listFields(typed: readonly string[], { stdout }: Surroundings, json: boolean): Promise<number> {
  const command = await commandFor(typed, firstWords)
  const words = command && wordsOf(command)
  const schema = words === undefined ? undefined : shapes[words]
  if (words === undefined || !schema) {
    const why = withoutDocument[words ?? '']
    throw wrongUsage(
      why ? `\`ph ${words}\` prints no document: it ${why}.` : 'These words are no command that prints a document.',
      'See `ph help`.',
    )
  }
  const fields = fieldsOf(schema)
  const lines = json ? [JSON.stringify({ command: words, fields }, null, 2)] : linesOf(fields)
  stdout.write(lines.map((line) => `${line}\n`).join(''))
  return exits.done
}

/** Where the server or a log says what there is, the schema does not. */
const linesOf = (fields: ReturnType<typeof fieldsOf>): string[] =>
  fields.length === 0
    ? ['Its fields depend on what is asked; any name can be picked.']
    : fields.map(({ name, type, description }) => `${name}\t${type}\t${description}`)
