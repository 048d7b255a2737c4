/** A server that lies in every field, numbers and errors included, says nothing to an assistant outside of the fence of its data. */
import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { own, type Said } from '../../mcp/tools/said.ts'
import type { Json } from '../support/api.ts'
import { argumentsFor, everything, outsideOfFences, tried, voiceOf } from '../support/assistant-voice.ts'
import { started } from '../support/assistants.ts'
import { type Honest, hostile, lyingLibrary } from '../support/lying-library.ts'

const keys = { mia: `ph_live_${'k'.repeat(40)}` }

const failed = (error: Error): Json => ({ content: [{ text: error.message }] })

async function everyAnswer(client: Client): Promise<Json[]> {
  const { tools } = await client.listTools()
  const answers: Json[] = []
  for (const { name, inputSchema } of tools) answers.push(await tried(client, name, argumentsFor(inputSchema, 'right', {})))
  for (const name of ['review_version', 'prepare_check_in'])
    for (const prop of ['a name', '1']) answers.push(await client.getPrompt({ name, arguments: { prop } }).catch(failed))
  for (const uri of ['ph://entry/1', 'ph://entry/1/thumbnail', 'ph://entry/1/closure', 'ph://review/1'])
    answers.push(await client.readResource({ uri }).catch(failed))
  return answers
}

test.each<Honest>(['nothing', 'words', 'words, and no number'])('where %s can be believed', async (honest) => {
  const client = await started({ workspace: { url: await lyingLibrary(honest), keys }, ...everything })
  const answers = await everyAnswer(client)
  expect(JSON.stringify(answers)).toContain('LIE')
  for (const answer of answers)
    for (const text of voiceOf(answer)) expect(outsideOfFences(text)).not.toMatch(/LIE|FAKE|next\u2028/)
})

test.each([400, 429, 500])('nor does it by an error of status %i to who asks for the list of tools', async (status) => {
  const client = await started({ workspace: { url: await lyingLibrary('nothing', status), keys }, ...everything })
  const { message } = await client.listTools().catch((error: Error) => error as Error & { tools?: never })
  expect(message).toContain('LIE')
  expect(outsideOfFences(String(message))).not.toMatch(/LIE|FAKE/)
})

test.each<[what: string, value: unknown]>([
  ['a text', hostile],
  ['a list of texts', [hostile]],
  ['what looks like own words', { text: hostile }],
])('%s where the compiler saw a number is not said', (_, value) => {
  expect(own`Entry ${value as Said}.`.text).toBe('Entry unknown.')
})
