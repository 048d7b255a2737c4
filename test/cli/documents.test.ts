/** `--jq` and `--template`: what programs print of the JSON of any command. */
import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { openShaper } from '../../cli/documents/shaper.ts'
import { callAs } from '../support/api.ts'
import { ph, signedIn } from '../support/ph.ts'
import { startPhProcess } from '../support/ph-process.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const env = signedIn(url, keys.mia)
const mia = callAs(url, keys.mia)
await pushed(mia, [item({ asset_name: 'SM_Barrel' }), item({ asset_name: 'SM_Crate' })])

const shaped = (words: readonly string[], more = {}) => ph(words, { env, ...more })
const errorOf = ({ stderr }: { stderr: string }) => JSON.parse(stderr).error
const signal = new AbortController().signal

test('--jq prints what jq makes of the document: texts as they are, all else as JSON on one line each', async () => {
  const names = await shaped(['search', '--jq', '.entries | sort_by(.name) | .[].name'])
  expect(names).toMatchObject({ code: 0, stdout: 'SM_Barrel\nSM_Crate\n', stderr: '' })
  const counted = await shaped(['search', '--jq', '{total: (.entries | length)}, null, "", "a\\nb"', '--json'])
  expect(counted).toMatchObject({ code: 0, stdout: '{"total":2}\nnull\n\na\nb\n' })
  expect(await shaped(['search', '--jq', 'empty'])).toMatchObject({ code: 0, stdout: '' })
  expect(await shaped(['search', '--jq', '-(.entries | length)'])).toMatchObject({ code: 0, stdout: '-2\n' })
})

test('--template prints the document by a template of LiquidJS, which reads no files', async () => {
  const template = '{% for entry in entries %}{{ entry.name | downcase }},{% endfor %}{{ nothing }}'
  const { code, stdout } = await shaped(['search', '--template', template])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^(sm_barrel,sm_crate|sm_crate,sm_barrel),\n$/)])
  expect((await shaped(['api', '/tags', '--template', '{{ document | json }}'])).json()).toEqual({ tags: [], next_cursor: null })
  const read = await shaped(['search', '--template', "{% render 'package.json' %}"])
  expect([read.code, read.stdout]).toEqual([1, ''])
  expect(errorOf(read)).toMatchObject({ code: 'TEMPLATE_FAILED', message: expect.stringContaining('package.json') })
})

test.each([
  [['--jq', '.tags['], 'jq cannot read the expression after --jq: syntax error, unexpected end of file'],
  [['--jq', '.name | nothere'], 'jq cannot read the expression after --jq: nothere/0 is not defined'],
  [['--template', '{% for %}'], 'The template cannot be read after --template: illegal'],
  [['--template', '{{ name | nothere }}'], 'The template cannot be read after --template: undefined filter: nothere'],
  [['--jq', '.', '--template', 'x'], '--jq and --template both say what to print.'],
  [['--jq', `"${'x'.repeat(70_000)}"`], '--jq takes at most 65,536 characters, and got 70,002.'],
])('what cannot be read is refused before the command does anything: %#', async (options, said) => {
  const before = (await mia.get('/tags')).body.tags.length
  const outcome = await shaped(['tag', 'create', `tag-${said.length}`, ...options])
  expect([outcome.code, outcome.stdout]).toEqual([2, ''])
  expect(errorOf(outcome)).toMatchObject({ code: 'USAGE', message: expect.stringContaining(said) })
  expect((await mia.get('/tags')).body.tags.length).toBe(before)
})

test('an expression that fails on the document prints what it had, says why, and what the command did stays done', async () => {
  const outcome = await shaped(['tag', 'create', 'oak', '--jq', '.name, .name.first'])
  expect([outcome.code, outcome.stdout]).toEqual([1, 'oak\n'])
  expect(errorOf(outcome)).toMatchObject({ code: 'JQ_FAILED', message: expect.stringContaining('Cannot index string') })
  expect((await mia.get('/tags')).body.tags.map(({ name }: { name: string }) => name)).toContain('oak')
})

test('the error of a command comes as JSON, and its exit code stays', async () => {
  const outcome = await shaped(['show', 'SM_Nowhere', '--jq', '.name'])
  expect([outcome.code, outcome.stdout]).toEqual([1, ''])
  expect(errorOf(outcome)).toMatchObject({ code: 'ENTRY_NOT_FOUND' })
})

test('what jq says beside the result goes to stderr', async () => {
  const outcome = await shaped(['api', '/tags', '--jq', 'debug | (.tags | type)'])
  expect(outcome).toMatchObject({ code: 0, stdout: 'array\n', stderr: expect.stringContaining('DEBUG:') })
})

test('a name that drives terminals does not drive this one, and arrives whole in a pipe', async () => {
  const words = ['api', '/tags', '--jq', '"\\u001b[31mred\\u202e\\nnext"']
  expect((await shaped(words, { columns: 80 })).stdout).toBe('\ufffd[31mred\ufffd\nnext\n')
  expect((await shaped(words)).stdout).toBe('\u001b[31mred\u202e\nnext\n')
})

test('a stream of JSON lines is shaped line by line while it goes on', async () => {
  const running = startPhProcess(['activity', '--follow', '--jq', '.event_type'], { env })
  await expect.poll(() => running.printed()).toContain('push.commit\n')
  await mia.post('/tags', { name: 'later' })
  await pushed(mia, [item({ asset_name: 'SM_Later' })])
  await expect.poll(() => running.printed().split('push.commit\n').length).toBeGreaterThan(2)
  running.signal('SIGTERM')
  expect((await running.ended).code).toBe(130)
})

const endless = { kind: 'jq', expression: 'def f: f; f' } as const

test('Ctrl-C ends an endless expression, and so does its limit of time', async () => {
  const stopping = new AbortController()
  const reason = new Error('stopped')
  await using shaper = await openShaper(endless, stopping.signal)
  const shaping = shaper.shape({})
  stopping.abort(reason)
  await expect(shaping).rejects.toBe(reason)
  await using short = await openShaper(endless, signal, { longestMs: 10_000 })
  await expect(short.shape({})).rejects.toMatchObject({ code: 'JQ_FAILED', message: expect.stringContaining('longer than 10') })
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
