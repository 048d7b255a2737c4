/** The JSON of every command has a schema, and each of its fields a sentence. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { commandsByWords } from '../../cli/command-line/command-words.ts'
import { shapes, withoutDocument } from '../../cli/documents/schemas/all.ts'
import { fieldsOf } from '../../cli/documents/schemas/fields.ts'
import { publishedSchemas } from '../../cli/documents/schemas/published.ts'
import { firstWords } from '../../cli/first-words.ts'

test('each command has the schema of its document, or says why it prints none', async () => {
  const words = (await commandsByWords(firstWords)).map(({ command }) => command).sort()
  expect([...Object.keys(shapes), ...Object.keys(withoutDocument)].sort()).toEqual(words)
})

test('each field that --fields lists says what it is', () => {
  const bare = Object.entries(shapes).flatMap(([words, schema]) =>
    fieldsOf(schema).flatMap(({ name, type, description }) => (description === '' || type === '' ? `${words}: ${name}` : [])),
  )
  expect(bare).toEqual([])
})

test('each published schema is JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false })
  for (const [name, text] of publishedSchemas()) expect(ajv.validateSchema(JSON.parse(text)), name).toBe(true)
})
