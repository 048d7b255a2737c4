/** The published schemas: a file of docs/json for each command that prints JSON, and one for errors. */
import type { TSchema } from 'typebox'
import { shapes } from './all.ts'
import { described } from './fields.ts'
import { ErrorDocument, shape } from './shape.ts'

/** `server-user-add.json` */
export const schemaFile = (words: string): string => `${words.replaceAll(' ', '-')}.json`

/** JSON Schema 2020-12. Fields may be added: what a program does not know it leaves alone. */
export const publishedSchema = (title: string, schema: TSchema): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  ...(described(schema) as object),
})

/** The content of each file, by its name. */
export function publishedSchemas(): Map<string, string> {
  const files = new Map<string, string>()
  const add = (name: string, title: string, schema: TSchema) =>
    files.set(name, `${JSON.stringify(publishedSchema(title, schema), null, 2)}\n`)
  add('error.json', 'An error of any command, on stderr', shape('{ error: ErrorDocument }', { ErrorDocument }))
  for (const [words, schema] of Object.entries(shapes)) add(schemaFile(words), `ph ${words} --json`, schema)
  return files
}
