/** Sentences on a terminal: broken between words at its width, under where they begin; anywhere else one line each. */
import { describe, expect, test } from 'vitest'
import { remarked, wrap } from '../../../cli/terminal/wrap.ts'
import { answer, startPeer } from '../../support/peer.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../../support/terminal.ts'

const key = 'ph_live_key'

/** What a workspace with nothing in it answers. */
async function emptyLibrary(): Promise<Record<string, string>> {
  const { url } = await startPeer(answer(200, { entries: [], next_cursor: null }))
  return signedIn(url, key)
}

/** A refusal with places and a long word, at a terminal of so many columns. */
async function refused(columns?: number) {
  const path = '/entries/17/metadata/bounds/of/something/that/is/nested/deeply'
  const places = [
    { path, message: 'is not a number, and numbers are all that a bound may be' },
    { path: '/name', message: 'is too long' },
  ]
  const message = 'The request does not say what the library needs to know about this prop.'
  const { url } = await startPeer(answer(422, { error: { code: 'VALIDATION', message, details: { errors: places } } }))
  return ph('search barrel', { env: { ...signedIn(url, key), NO_COLOR: '1' }, ...(columns && { columns }) })
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n')

test('an error is broken between words, each part under where it begins, and a path stays whole', async () => {
  const { stderr } = await refused(40)
  expect(linesOf(stderr).slice(0, 7)).toEqual([
    'error: The request does not say what the',
    '       library needs to know about this',
    '       prop.',
    '       - /entries/17/metadata/bounds/of/something/that/is/nested/deeply:',
    '         is not a number, and numbers',
    '         are all that a bound may be',
    '       - /name: is too long',
  ])
})

test('where nobody looks at a terminal, each sentence is one line', async () => {
  const { stderr } = await refused()
  expect(linesOf(stderr)).toHaveLength(4)
  expect(linesOf(stderr)[0]).toBe('error: The request does not say what the library needs to know about this prop.')
})

test('what is in backticks, to be copied, is on one line, however narrow the terminal', async () => {
  const { stderr } = await ph('login --with-key --url http://127.0.0.1:1', { columns: 30, stdin: 'no key' })
  expect(linesOf(stderr)).toContain('       `ph login --with-key < key.txt`.')
})

test('a remark beside a result, and a result that is a sentence, are broken between words too', async () => {
  const { stderr } = await ph('search --limit 3', { env: await emptyLibrary(), columns: 30 })
  expect(linesOf(stderr)).toEqual(['The library is empty. Send', 'props to it with `ph push`.'])
  const PH_CONFIG_DIR = temporaryFolder()
  const { stdout } = await ph('whoami --all', { env: { PH_CONFIG_DIR }, columns: 30 })
  expect(linesOf(stdout)).toEqual(['Nobody is signed in here. Sign', 'in with `ph login`.'])
})

test('who someone is fits a narrow terminal, each fact under where it begins', async () => {
  const user = { id: 1, name: 'nora', display_name: 'Nora', email: 'nora@oak.test', role: 'admin' }
  const me = {
    user,
    org: { id: 1, name: 'The Studio of the Old Oak', slug: 'oak' },
    scope: 'write',
    name: 'ph on a laptop (device)',
  }
  const { url } = await startPeer(answer(200, me))
  const { stdout } = await ph('whoami', { env: { ...signedIn(url, key), NO_COLOR: '1' }, columns: 36 })
  expect(linesOf(stdout)).toEqual([
    'Nora (nora@oak.test), admin',
    '  workspace  The Studio of the Old',
    '             Oak',
    `  server     ${url}`,
    '  key        ph_live_key…, "ph on a',
    '             laptop (device)", write',
    '             scope',
    '             from PH_API_KEY',
  ])
})

test('a word that is wide on the screen takes the room that it needs', async () => {
  const { stderr } = await ph(['search', '--limit', '木製の 古い樽と 大きな木箱'], { columns: 32, env: { NO_COLOR: '1' } })
  expect(linesOf(stderr).slice(0, 4)).toEqual([
    'error: --limit takes a whole',
    '       number from 1 to',
    '       1,000,000, not "木製の',
    '       古い樽と 大きな木箱".',
  ])
})

test('a document for programs is not broken on a terminal either', async () => {
  const name = 'a name of many words, '.repeat(10)
  const { url } = await startPeer(answer(200, { name }))
  const { stdout } = await ph('api get /auth/me', { env: signedIn(url, key), columns: 40 })
  expect(JSON.parse(stdout)).toEqual({ name })
  expect(stdout).toContain(name)
})

describe.runIf(hasTerminal)('on a real terminal', () => {
  test.each([40, 80])('of %i columns no word of an error is cut in two', async (columns) => {
    const terminal = openTerminal({ columns, rows: 24 }, { PH_CONFIG_DIR: temporaryFolder() })
    terminal.type('echo; ph whoami; echo "ended with $?"', 'Enter')
    const lines = await terminal.shows(/ended with \d/)
    const piped = await ph('whoami')
    const [said = '', next = ''] = linesOf(piped.stderr)
    const shown = lines.slice(lines.findIndex((line) => line.startsWith('error:')))
    const text = shown.map((line) => line.trim()).join(' ')
    expect(text).toContain(said)
    expect(text).toContain(next.trim())
    expect(shown.filter((line) => !/^(error:| next:| {7}\S|ended with|% ?$)/.test(line))).toEqual([])
  })
})

test('an amount is not parted from its unit', () => {
  expect(wrap('Pulled it in 0.8 s.', 18)).toEqual(['Pulled it in', '0.8 s.'])
})

test('the size of a file stays whole behind its name, on a line of its own where there is no room', () => {
  expect(remarked('  + Content/SM_A.uasset', '172 KiB', 33)).toEqual(['  + Content/SM_A.uasset  172 KiB'])
  expect(remarked('  + Content/SM_A.uasset', '172 KiB', 31)).toEqual(['  + Content/SM_A.uasset', '      172 KiB'])
})
