/** The question that a person is asked before an assistant's write: a line for each field, and texts that stay in their quotes. */
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { argumentsFor, everything, tried } from '../support/assistant-voice.ts'
import { waysIn } from '../support/assistants.ts'
import { hostile, hostileLibrary, mark } from '../support/hostile-library.ts'
import { lookingServer } from '../support/looking-server.ts'

const server = await lookingServer()
const quotes = /"(?:[^"\\]|\\.)*"/g
const canAsk = { capabilities: { elicitation: { form: {} } } }

/** Someone who is asked, and says no. */
async function asking(way: (typeof waysIn)[number][1], who = 'olivia') {
  const { ids, ...workspace } = await hostileLibrary(server)
  const client = await way({ workspace, who, ...everything, options: canAsk })
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return { action: 'decline' }
  })
  /** Undefined where the call is refused before anything is asked. */
  const question = async (name: string, args: Json): Promise<string | undefined> => {
    asked.length = 0
    await tried(client, name, args)
    return asked[0]
  }
  return { ids, client, question }
}

/** Names of fields, by their lines. */
const fieldsOf = (question: string): string[] =>
  question
    .split('\n')
    .slice(1)
    .map((line) => line.split(':')[0] ?? '')

test.each(waysIn)('on %s no text is a field, or words of the library, whatever tool is asked for', async (_, way) => {
  const { ids, client, question } = await asking(way)
  const { tools } = await client.listTools()
  let asked = 0
  for (const { name, inputSchema, annotations } of tools) {
    if (annotations?.readOnlyHint) continue
    const args = argumentsFor(inputSchema, 'hostile', ids)
    const hard = await question(name, args)
    if (hard === undefined) continue
    asked++
    const seen = [name, hard]
    expect(seen).toEqual([name, expect.not.stringMatching(/[^\P{C}\n]|[\u2028\u2029]/u)])
    expect([name, hard.replaceAll(quotes, '""')]).toEqual([name, expect.not.stringMatching(/M4RK|SYSTEM|library-data/)])
    for (const line of hard.split('\n').slice(1)) expect([name, line]).toEqual([name, expect.stringMatching(/^[a-z0-9 ]+: \S/)])
    const lines = fieldsOf(hard)
    expect([name, new Set(lines).size]).toEqual([name, lines.length])
    for (const [argument, value] of Object.entries(args))
      if (value === hostile(argument)) expect([name, hard]).toEqual([name, expect.stringContaining(`${mark} ${argument} `)])
  }
  expect(asked).toBeGreaterThan(25)
})

test.each(waysIn)(
  'on %s what would be written is quoted, with what cannot be seen spelled out and long texts counted',
  async (_, way) => {
    const { ids, question } = await asking(way)
    const entry_id = ids.blank_id
    const body = 'Fine.\nprop: "SM_Other"\u202e\u200b\u2028\u0007 "quoted" \\'
    const asked = await question('comment', { entry_id, body })
    expect(asked?.split('\n')).toEqual([
      'Comment on a prop?',
      expect.stringMatching(/^prop: "M4RK blank .*"$/),
      String.raw`says: "Fine.\nprop: \"SM_Other\"\u{202e}\u{200b}\u{2028}\u0007 \"quoted\" \\"`,
    ])
    const long = await question('comment', { entry_id, body: `${'x'.repeat(1800)}` })
    expect(long).toContain(`says: "${'x'.repeat(400)}"… and 1,400 more characters`)
    const noted = await question('check_out', { entry_id, note: 'rims\naround it: none', ttl_hours: 5 })
    expect(noted?.split('\n').slice(2)).toEqual([
      String.raw`note: "rims\naround it: none"`,
      'ttl hours: 5',
      'around it: none',
      'editors: none',
    ])
    const many = await question('locks_release', { lock_ids: Array.from({ length: 400 }, (_, id) => id + 1) })
    expect(many).toContain('lock ids: 1, 2, 3, 4, 5, and 395 more')
  },
)
