/** `--fields`: what it lists, what it keeps of a document, and what it refuses before anything is done. */
import { expect, test } from 'vitest'
import { pick } from '../../cli/documents/picked.ts'
import { callAs } from '../support/api.ts'
import { ph, signedIn } from '../support/ph.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const env = signedIn(url, keys.mia)
await pushed(callAs(url, keys.mia), [item({ asset_name: 'SM_Barrel' })])

const run = (line: string) => ph(line, { env })
const refused = async (line: string) => {
  const { code, stdout, stderr } = await run(line)
  return { code, stdout, ...JSON.parse(stderr).error }
}

test('bare --fields lists the fields of the document, each with its type and what it is, and does nothing', async () => {
  const { code, stdout } = await ph('tag create oak --fields')
  const lines = stdout.trimEnd().split('\n')
  expect([code, lines]).toEqual([
    0,
    ['id\tnumber\tthe number it is named by', 'name\ttext\tits name', 'color\ttext or null\tits color'],
  ])
  expect((await run('tag list --json')).json()).toEqual({ tags: [] })
})

test('it needs no server, no argument and no sign-in, wherever it stands; with --json the list is a document', async () => {
  const { code, json } = await ph('agent stop --fields --json')
  const fields = [{ name: 'stopped', type: 'true or false', description: 'it ran, and has ended' }]
  expect([code, json()]).toEqual([0, { command: 'agent stop', fields }])
  expect((await ph('show --fields')).stdout).toContain('entry.name\ttext\tits name\n')
  expect((await ph('api --fields')).stdout).toContain('any name can be picked')
})

test('the fields that are named are kept, also of each thing in a list, and nothing else', async () => {
  expect((await run('search barrel --fields entries.name,entries.pack,next_cursor')).json()).toEqual({
    entries: [{ name: 'SM_Barrel', pack: expect.objectContaining({ name: expect.any(String) }) }],
    next_cursor: null,
  })
  expect((await run('show SM_Barrel --fields face.version,closure.total_objects --json')).json()).toEqual({
    entry: { face: { version: 1 } },
    closure: { total_objects: 1 },
  })
})

test('the end of a name is enough where it means one field, the nearest; a route has whatever it answers', async () => {
  expect((await run('watches --fields name')).json()).toEqual({ watches: [{ name: 'SM_Barrel' }] })
  expect((await run('jobs list --fields target_project,id')).json()).toEqual({ jobs: [] })
  expect((await run('api GET /tags --fields next_cursor')).json()).toEqual({ next_cursor: null })
})

test('--jq and --template read what was kept', async () => {
  expect((await ph(['search', '--fields', 'entries.name', '--jq', '.entries[] | keys[]'], { env })).stdout).toBe('name\n')
})

test.each([
  ['search --fields entries.nme', 'has no field "entries.nme"', ['ph search --fields']],
  ['diff SM_Barrel --fields file', '"file" could be from.file or to.file', []],
  ['tag create oak --fields name,,id', 'an empty name', ['ph tag create --fields']],
  ['nonsense --fields', 'no command that prints a document', ['ph help']],
  ['mcp --fields', 'the protocol of assistants', ['ph help']],
])('what cannot be read is wrong usage, and nothing was done: ph %s', async (line, message, next) => {
  expect(await refused(line)).toMatchObject({ code: 'USAGE', stdout: '', message: expect.stringContaining(message), next })
  expect((await run('tag list --json')).json()).toEqual({ tags: [] })
})

test('picking follows lists of lists and leaves out what is not there', () => {
  const chosen = new Map([['a', new Map([['b', undefined]])]])
  expect(pick({ a: [[{ b: 1, c: 2 }], { c: 3 }, null], d: 4 }, chosen)).toEqual({ a: [[{ b: 1 }], {}, null] })
  expect(pick(JSON.parse('{"__proto__": 1}'), new Map([['toString', undefined]]))).toEqual({})
})
