/** Names of a person's own for command lines: what they become, what they may not be called, and what Tab knows of them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { complete } from '../../../cli/commands/completion/complete.ts'
import { splitWords } from '../../../client/settings/aliases.ts'
import { shellWord } from '../../../system/shell-word.ts'
import type { Json } from '../../support/api.ts'
import { callAs } from '../../support/api.ts'
import { type Outcome, ph, signedIn } from '../../support/ph.ts'
import { phProcess } from '../../support/ph-process.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
await pushed(callAs(url, keys.mia), [item({ asset_name: 'SM_Barrel' }), item({ asset_name: 'SM_Old_Stool' })])

/** Mia at a machine of her own. */
function machine() {
  const config = join(temporaryFolder(), 'settings')
  const env = { ...signedIn(url, keys.mia), PH_CONFIG_DIR: config, NO_COLOR: '1' }
  const run = (line: string | string[]): Promise<Outcome> => ph(line, { env })
  const set = async (name: string, line: string) => {
    const { code, stderr } = await run(['alias', 'set', name, line])
    expect(code, stderr).toBe(0)
  }
  const names = async (line: string | string[]): Promise<string[]> =>
    ((await run(line)).json() as Json).entries.map(({ name }: Json) => name)
  return { config, env, run, set, names }
}

test('an alias runs its command, with what is typed at the places of $1 and $2, or at the end', async () => {
  const { run, set, names } = machine()
  await set('find', 'search --json')
  expect(await names('find barrel')).toEqual(['SM_Barrel'])
  expect(await names(`--url ${url} find barrel`)).toEqual(['SM_Barrel'])
  await set('two', 'search $2 $1 --limit 5')
  expect(await names(['two', 'old', 'stool', '--json'])).toEqual(['SM_Old_Stool'])
  const lacking = await run('two old')
  expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('`ph two` needs more words, for $2.')])
  expect((await run('two --help')).stdout).toMatch(/^two stands for: ph search \$2 \$1 --limit 5\n\nUsage: ph search/)
  expect((await run('help two')).stdout).toContain('Usage: ph search')
})

test('what was typed stays one word: it is no option and no second command', async () => {
  const { set, names } = machine()
  await set('look', 'search $1 --json')
  expect(await names(['look', 'barrel --limit 0'])).toEqual([])
})

test('no alias hides a command, stands for another alias, or for what is no command', async () => {
  const { run, set, config } = machine()
  await set('mine', 'search oak')
  for (const [name, line, why] of [
    ['push', 'pull', 'push is a command of ph'],
    ['help', 'pull', 'help is a command of ph'],
    ['other', 'mine', 'mine is an alias itself'],
    ['other', 'serch oak', 'Did you mean `search`?'],
    ['other', 'tag ad oak', 'There is no command `ph tag ad`.'],
    ['other', 'search "oak', 'quote'],
    ['-x', 'search', 'cannot be the name'],
  ]) {
    const { code, stderr } = await run(['alias', 'set', '--', name ?? '', line ?? ''])
    expect([code, stderr]).toEqual([2, expect.stringContaining(why ?? '')])
  }
  writeFileSync(join(config, 'aliases.json'), JSON.stringify({ status: 'search', round: 'round' }))
  expect((await run('status --help')).stdout).toContain('Usage: ph status')
  expect((await run('round')).stderr).toContain('There is no command `ph round`')
  expect((await run('alias list')).stdout).toContain('ph has a command status by now')
})

test('aliases are listed and deleted, and a name that is not there is met with the nearest', async () => {
  const { run, set } = machine()
  await set('mine', 'search oak')
  expect((await run(['alias', 'set', 'mine', 'search elm', '--json'])).json()).toMatchObject({ previous: 'search oak' })
  expect((await run('alias list')).stdout).toBe('mine\tph search elm\n')
  expect((await run('alias delete mime')).stderr).toContain('Did you mean mine?')
  expect((await run('alias delete mine')).stdout).toContain('Forgot the alias mine')
  expect((await run('mine')).stderr).toContain('There is no command `ph mine`')
})

test('a line of the shell gets what was typed as its arguments, and its exit code is that of ph', async () => {
  const { set, env } = machine()
  await set('count', `!printf '%s|' "$@"; exit 7`)
  const { code, stdout } = await phProcess(['count', 'a b', '$(touch x)'], { env })
  expect([code, stdout]).toEqual([7, 'a b|$(touch x)|'])
})

test('Tab offers aliases, and completes behind one as behind the line that it stands for', async () => {
  const { set, env, config } = machine()
  await set('kegs', 'show $1 --no-pictures')
  await set('plan', 'pull')
  const offered = async (...words: string[]) => (await complete(words, env)).split('\n').map((line) => line.split('\t')[0])
  expect(await offered('ke')).toEqual(['kegs', ''])
  expect(await offered('kegs', 'SM_B')).toContain('SM_Barrel')
  expect(await offered('plan', '--pla')).toEqual(['--plan', ''])
  expect(await offered('alias', 'delete', 'k')).toEqual(['kegs', ''])
  expect(await offered('config', 'set', 'cache')).toEqual(['cache-size', ''])
  mkdirSync(config, { recursive: true })
  writeFileSync(join(config, 'aliases.json'), 'broken')
  expect(await offered('pus')).toEqual(['push', ''])
})

test('words are split as a shell would', () => {
  expect(splitWords(`a "b \\" c" 'd e'f  g\\ h ''`)).toEqual(['a', 'b " c', 'd ef', 'g h', ''])
  expect(splitWords(`"a`)).toBeUndefined()
  fc.assert(
    fc.property(fc.array(fc.string().filter((word) => !/\p{Cc}/u.test(word))), (words) => {
      expect(splitWords(words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' '))).toEqual(words)
      expect(splitWords(words.map((word) => shellWord(word)).join(' '))).toEqual(words)
    }),
    { numRuns: 200 },
  )
})
