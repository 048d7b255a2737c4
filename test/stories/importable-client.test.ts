// @prop-house/client as other programs have it: packed, installed by a real npm in an empty folder, compiled against, and run.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { root, textOf } from '../house/project.ts'
import { afterFile } from '../support/after-file.ts'
import { callAs } from '../support/api.ts'
import { callsTo } from '../support/calls.ts'
import { pictureOf, putThumbnail } from '../support/looking-server.ts'
import { startRegistry } from '../support/registry.ts'
import { byHand, startTestServer } from '../support/server.ts'
import { writeFiles } from '../support/temporary-folder.ts'
import { makeProject } from '../support/unreal-project.ts'

const server = await startTestServer({}, byHand)
const workspace = await server.addWorkspace()
const { url, keys } = workspace
const mia = callAs(url, keys.mia)

const examples = readdirSync(join(root, 'docs/examples'))
const place = mkdtempSync(join(tmpdir(), 'ph-test-'))
afterFile(() => rmSync(place, { recursive: true, force: true }))
const [built, program] = [join(place, 'package'), join(place, 'program')]
execFileSync(process.execPath, [join(root, 'bin/npm-client.mjs'), built], { stdio: 'pipe' })
const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
  exports: Record<string, unknown>
}
const packing = execFileSync('npm', ['pack', '--json'], { cwd: built, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const [packed] = JSON.parse(packing) as { filename: string; size: number; files: { path: string }[] }[]

writeFiles(program, {
  'package.json': JSON.stringify({ name: 'program', private: true, type: 'module' }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: { target: 'es2024', module: 'nodenext', moduleResolution: 'nodenext', strict: true, outDir: 'built' },
    files: [...examples, 'uses.ts'],
  }),
})
for (const name of examples) writeFiles(program, { [name]: textOf(`docs/examples/${name}`) })
const registry = await startRegistry()
const env = {
  PATH: process.env.PATH ?? '',
  HOME: program,
  npm_config_registry: registry.url,
  npm_config_cache: join(program, 'cache'),
  PH_URL: url,
  PH_API_KEY: keys.mia,
  PH_CONFIG_DIR: join(program, 'config'),
  PH_STATE_DIR: join(program, 'state'),
  PH_CACHE_DIR: join(program, 'files'),
}
await run('npm', ['install', '--no-audit', '--no-fund', join(built, packed?.filename ?? '')])

async function run(command: string, args: readonly string[]) {
  const { child, ended } = begin(command, args)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

function begin(command: string, args: readonly string[]) {
  const child = spawn(command, args, { cwd: program, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  return { child, ended }
}

const example = (name: string, ...args: string[]) => run(process.execPath, [`built/${name}.js`, ...args])

/** Every entry point, and types that only hold where the contract arrives whole. */
const uses = `
import { openLibrary } from '@prop-house/client'
import { contract, limits, type EntryDetail, type InputOf } from '@prop-house/client/contract'
import { errors, type ErrorCode } from '@prop-house/client/errors'
import { findConnection, findFolders } from '@prop-house/client/sign-in'
import { status } from '@prop-house/client/status'
const order: InputOf<typeof contract.entries.get> = { entry_id: limits.page.max }
const { api, wire, close } = await openLibrary()
const shown: Promise<EntryDetail> = api.entries.get(order)
// @ts-expect-error a field that the route does not take
void api.entries.get({ entry: 1 }).catch(() => undefined)
const code: ErrorCode = await shown.then(() => 'NOT_FOUND', (error) => error.code)
const { url } = await findConnection(findFolders(), { url: process.env.PH_URL ?? '' })
const report = await status({ ...wire, cwd: '.', paths: [process.argv[2] ?? '.'] })
console.log(JSON.stringify({ code, http: errors[code][0], url, current: report.summary.current }))
await close()
`
writeFiles(program, { 'uses.ts': uses })
const compiling = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])

test('the page shows every example whole, and an example more than once nowhere', () => {
  const page = textOf('docs/client.md')
  for (const name of examples)
    expect(page.split(`\`\`\`ts\n// docs/examples/${name}\n${textOf(`docs/examples/${name}`)}\`\`\``)).toHaveLength(2)
  expect(examples).toHaveLength(5)
})

test('a strict program compiles against its declarations, those of its dependencies included', () => {
  expect(compiling).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('it holds what its entry points reach, no server and no command line, and is small', () => {
  const paths = packed?.files.map(({ path }) => path) ?? []
  expect(
    paths.filter(
      (path) => !/^(package\.json|LICENSE|README\.md|dist\/(client|contract|formats|previews|serving|system|words)\/)/.test(path),
    ),
  ).toEqual([])
  expect(paths.filter((path) => !/\.(js|d\.ts|sql|json|md)$|^LICENSE$/.test(path))).toEqual([])
  const besides = ['client/content/receive-worker.js', 'client/project/read-worker.js', 'client/mirror/mirror.sql']
  expect(paths).toEqual(expect.arrayContaining(besides.map((file) => `dist/${file}`)))
  expect(packed?.size).toBeLessThan(800_000)
  expect(Object.keys(manifest.exports)).toEqual(
    expect.arrayContaining([
      '.',
      './contract',
      './errors',
      './mirror',
      './package.json',
      './pull',
      './push',
      './sign-in',
      './status',
      './webhooks',
    ]),
  )
})

test('it asks for the packages that it loads, in versions that this repository has, and for no other', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json'))
  const own: Record<string, string> = { ...devDependencies, ...dependencies }
  expect(
    Object.entries(manifest.dependencies).filter(([name, range]) => !own[name]?.endsWith(range) && own[name] !== range),
  ).toEqual([])
  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(['better-sqlite3', 'typebox', 'undici']))
  for (const name of ['fastify', 'ink', 'react', 'commander', '@electric-sql/pglite', 'postgres'])
    expect(manifest.dependencies).not.toHaveProperty(name)
})

test('a path that is no entry point cannot be imported', async () => {
  const deep = await run(process.execPath, [
    '-e',
    "import('@prop-house/client/dist/client/http/http.js').catch((e) => console.log(e.code))",
  ])
  expect(deep.stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
})

test('the examples push, list, find by a picture, plan and pull, against a real server', async () => {
  const made = await makeProject({ 'Content/Props/SM_Barrel.uasset': {}, 'Content/Props/SM_Stool.uasset': {} })
  const pushed = await example('push', made.root, 'two props')
  expect(pushed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^2 new, 0 there already/) })
  expect((await example('push', made.root)).stdout).toMatch(/^0 new, 2 there already/)
  const { entries } = (await mia.get('/entries?name=SM_Barrel')).body
  const seen = await run(process.execPath, ['built/uses.js', made.root])
  expect(JSON.parse(seen.stdout)).toEqual({ code: 'ENTRY_NOT_FOUND', http: 404, url, current: 2 })

  expect((await example('mirror', 'props.jsonl')).stdout).toMatch(/^2 props in props\.jsonl, as of change \d+\n$/)
  const lines = readFileSync(join(program, 'props.jsonl'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { name: 'SM_Barrel', path: '/Game/Props/SM_Barrel' },
    { name: 'SM_Stool' },
  ])

  const [barrel] = entries
  await putThumbnail(mia, { entry_id: barrel.id, object_id: barrel.object_id }, await pictureOf(7))
  await server.work.look()
  writeFiles(program, {
    'like.webp': await sharp(await pictureOf(7))
      .webp()
      .toBuffer(),
  })
  expect((await example('picture-search', 'like.webp')).stdout).toMatch(/^\d+ % {2}SM_Barrel \(\d+\)\n/)

  const other = await makeProject()
  const pulled = await example('pull', other.root, 'SM_Barrel', '/Game/Props/SM_Stool')
  expect(pulled).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('done: 2 added, 0 updated') })
  expect(existsSync(join(other.root, 'Content/Props/SM_Barrel.uasset'))).toBe(true)
  other.write({ 'Content/Props/SM_Stool.uasset': 'edited here' })
  const kept = await example('pull', other.root, 'SM_Stool')
  expect(kept).toMatchObject({ code: 5, stdout: expect.stringContaining('Nothing was pulled.') })
  expect(readFileSync(join(other.root, 'Content/Props/SM_Stool.uasset'), 'utf8')).toBe('edited here')
})

test('the example that follows tells of a change at once, and after a stop of what it missed', async () => {
  const made = await makeProject({ 'Content/SM_Lamp.uasset': {}, 'Content/SM_Chest.uasset': {} })
  const follow = () => {
    const { child, ended } = begin(process.execPath, ['built/follow.js', 'position.json'])
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      said += more
    })
    const stop = () => {
      child.kill('SIGTERM')
      return ended
    }
    return { said: () => said, stop }
  }
  const { value: head } = (await callsTo(workspace, 'mia').changes.export()[Symbol.asyncIterator]().next()) as {
    value: { cursor: number }
  }
  writeFiles(program, { 'position.json': JSON.stringify({ cursor: head.cursor }) })
  const first = follow()
  await made.push({ url, key: keys.mia }, { paths: ['Content/SM_Lamp.uasset'] })
  await expect.poll(first.said, { timeout: 20_000 }).toContain('upsert entry')
  expect(first.said()).toContain('SM_Lamp')
  expect(await first.stop()).toBe(0)
  await made.push({ url, key: keys.mia }, { paths: ['Content/SM_Chest.uasset'] })
  const second = follow()
  await expect.poll(second.said, { timeout: 20_000 }).toContain('SM_Chest')
  expect(second.said()).not.toContain('SM_Lamp')
  expect(await second.stop()).toBe(0)
})

test('what it names is there: a function or a type of every entry point is said by the page', () => {
  const page = textOf('docs/client.md')
  for (const file of readdirSync(join(root, 'client/package')).map((name) => basename(name, '.ts')))
    expect(page).toContain(file === 'library' ? '| `@prop-house/client` |' : `| \`…/${file}\` |`)
})
