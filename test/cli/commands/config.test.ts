/** What a person sets once: where a value comes from, what is refused, and that a file of a newer or another ph is not harmed. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { type Outcome, ph, type Setting } from '../../support/ph.ts'
import { phProcess } from '../../support/ph-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Somebody's machine, where nothing was set yet. */
function machine() {
  const config = join(temporaryFolder(), 'settings')
  const own = { PH_CONFIG_DIR: config, PH_PREVIEWS: '', NO_COLOR: '1' }
  const run = (line: string | string[], { env = {}, ...more }: Setting = {}): Promise<Outcome> =>
    ph(line, { ...more, env: { ...own, ...env } })
  const row = async (name: string, env: Record<string, string> = {}): Promise<Json> =>
    ((await run('config list --json', { env })).json() as Json).settings.find((one: Json) => one.name === name)
  const write = (kept: object | string) => {
    mkdirSync(config, { recursive: true })
    writeFileSync(join(config, 'settings.json'), typeof kept === 'string' ? kept : JSON.stringify(kept))
  }
  return { config, run, row, write, kept: () => JSON.parse(readFileSync(join(config, 'settings.json'), 'utf8')) }
}

test('a value is the default, then what was set, and the environment goes before both', async () => {
  const { run, row, config, kept } = machine()
  expect(await row('cache-size')).toMatchObject({ value: '20G', source: 'default' })
  expect((await run('config set cache-size 50G')).stdout).toBe('cache-size is 50G from now on.\n')
  expect(await row('cache-size')).toMatchObject({ value: '50G', source: 'config' })
  const overruled = await run('config set cache-size 60G --json', { env: { PH_CACHE_SIZE: '1G' } })
  expect(overruled.json()).toMatchObject({ value: '1G', source: 'environment', previous: '50G' })
  expect((await run('config get cache-size')).stdout).toBe('60G\n')
  expect((await run('config unset cache-size')).stdout).toBe('cache-size is 20G now.\n')
  expect(kept()).toEqual({})
  expect(statSync(join(config, 'settings.json')).mode & 0o777).toBe(0o600)
})

test('what was set holds in the commands that read it, and a flag goes before it', async () => {
  const { run } = machine()
  expect((await run('send SM_Barrel')).stderr).toContain('ph config set project')
  await run('config set project Tavern')
  const nobody = { PH_URL: 'http://127.0.0.1:1' }
  expect((await run('send SM_Barrel', { env: nobody })).stderr).toContain('No key is known')
  expect((await run(['send', 'SM_Barrel', '--project', ''], { env: nobody })).stderr).toContain(
    'project that gets them is missing',
  )
  await run('config set motion off')
  expect((await run('config get motion')).stdout).toBe('off\n')
  expect((await run('config get motion', { env: { PH_NO_MOTION: 'yes' } })).stdout).toBe('off\n')
})

test('an unknown name is refused with the nearest, a value with what is allowed, and nothing is written', async () => {
  const { run, write, kept } = machine()
  write({ pictures: 'blocks' })
  const misspelled = await run('config set cach-size 1G')
  expect([misspelled.code, misspelled.stderr]).toEqual([2, expect.stringContaining('Did you mean `cache-size`?')])
  const wrong = await run('config set pictures oil')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('auto, kitty, iterm, sixel, blocks or off')])
  expect((await run('config set server http://localhost')).stderr).toContain('ph login')
  expect((await run('config get constructor')).code).toBe(2)
  expect(kept()).toEqual({ pictures: 'blocks' })
})

test('what a newer ph set stays, and a value that was written wrongly by hand is named and can be set anew', async () => {
  const { run, write, kept } = machine()
  write({ 'of-tomorrow': { deep: [1] }, 'cache-size': 'fast' })
  const refused = await run('alias list')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('sets cache-size to "fast"')])
  expect(((await run('config list --json')).json() as Json).unknown_settings).toEqual(['of-tomorrow'])
  expect((await run('config set cache-size 1G')).code).toBe(0)
  expect(kept()).toEqual({ 'of-tomorrow': { deep: [1] }, 'cache-size': '1G' })
  write('{ "half')
  expect((await run('config set cache-size 2G')).stderr).toContain('is not the JSON object it should be')
  expect((await run('--help')).code).toBe(0)
})

test('processes that set at once lose nothing of each other', async () => {
  const { config, kept } = machine()
  const pairs = [
    ['editor', 'vim'],
    ['pictures', 'off'],
    ['motion', 'off'],
    ['project', 'Tavern'],
  ] as const
  const endings = pairs.map((pair) => phProcess(['config', 'set', ...pair], { env: { PH_CONFIG_DIR: config } }))
  expect((await Promise.all(endings)).map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(kept()).toEqual(Object.fromEntries(pairs))
})
