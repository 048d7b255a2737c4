/** Rules of importing that the linter cannot say; the direction between folders is kept by biome.json. */
import { expect, test } from 'vitest'
import { type Import, importsOf, matchesIn, programFiles } from './project.ts'

const imports: readonly Import[] = programFiles.flatMap(importsOf)
const sentences = (list: readonly Import[]): string[] => list.map(({ from, target }) => `${from} imports ${target}`)

test('the scan sees the imports it judges', () => {
  expect(imports).toContainEqual({
    from: 'test/house/imports.test.ts',
    specifier: './project.ts',
    target: 'test/house/project.ts',
    kind: 'static',
  })
})

test('a noun of server/library never imports another noun: what they share stands below them, in rows/ or a file named for its concept', () => {
  const nounOf = (path: string): string | undefined => /^server\/library\/([^/.]+)/.exec(path)?.[1]
  const across = imports.filter(({ from, target }) => {
    const noun = nounOf(from)
    const other = nounOf(target)
    return noun !== undefined && other !== undefined && noun !== other
  })
  expect(sentences(across)).toEqual([])
})

test('server/accounts stands below everything that calls it: routes, pages and the administrator', () => {
  const above = /^server\/(library|dashboard|administration|(app|mount|main|handlers)\.ts$)/
  const upward = imports.filter(
    ({ from, target, kind }) => from.startsWith('server/accounts/') && kind !== 'type' && above.test(target),
  )
  expect(sentences(upward)).toEqual([])
})

test('cli loads programs and views only when they are asked for, by import(), so that every other command starts fast', () => {
  const heavy =
    /^((server|agent|mcp)\/|cli\/terminal\/views\/|(ink|react|fastify|postgres|better-sqlite3|sharp|@electric-sql\/.*)$)/
  const eager = imports.filter(
    ({ from, target, kind }) =>
      from.startsWith('cli/') && !from.startsWith('cli/terminal/views/') && kind === 'static' && heavy.test(target),
  )
  expect(sentences(eager)).toEqual([])
})

test('a push loads what sends, asks and tells only once there is something to send, to ask or to tell', () => {
  const staticOnes = imports.filter(({ kind }) => kind === 'static')
  const loaded = new Set(['cli/main.ts', 'cli/commands/push.ts', 'client/push/push.ts'])
  for (const file of loaded) for (const { from, target } of staticOnes) if (from === file) loaded.add(target)
  const late =
    /^(string-width|p-limit|undici|formats\/(uasset|uasset-data|pictures)\/.*|client\/push\/(held|send|plan)\/.*|cli\/commands\/push\/words\.ts|cli\/terminal\/gallery\.ts)$/
  expect([...loaded].filter((one) => late.test(one))).toEqual([])
})

test('a server that only programs talk to never loads React: pages come with the first request for one', () => {
  const staticOnes = imports.filter(({ kind }) => kind === 'static')
  const loaded = new Set(['server/main.ts'])
  for (const file of loaded) for (const { from, target } of staticOnes) if (from === file) loaded.add(target)
  expect([...loaded]).toContain('server/dashboard/site.ts')
  expect([...loaded].filter((one) => /^react|\/views\//.test(one))).toEqual([])
})

test('the tools for assistants that the server loads know no client', () => {
  const loaded = new Set(['server/main.ts'])
  for (const file of loaded)
    for (const { from, target, kind } of imports) if (from === file && kind !== 'type') loaded.add(target)
  expect([...loaded]).toContain('mcp/tools/selection.ts')
  expect([...loaded].filter((one) => /^(client|mcp\/[^/]+\.ts)/.test(one))).toEqual([])
})

test('imports of our own files say the name of the file they mean, ending in .ts or .tsx', () => {
  const vague = imports.filter(({ specifier }) => specifier.startsWith('.') && !/\.(tsx?|mjs|json)$/.test(specifier))
  expect(sentences(vague)).toEqual([])
})

test('a worker file is named for both lives, .ts from the sources and .js from dist/, because the build leaves new URL() as it is', () => {
  const programs = programFiles.filter((path) => !/^(test|bench)\//.test(path))
  expect(programs.flatMap((path) => matchesIn(path, /new URL\(\s*['"`][^'"`]*\.tsx?['"`]/g))).toEqual([])
})

test('tests run our own code, never a mock of it', () => {
  const tests = programFiles.filter((path) => path.startsWith('test/') && path !== 'test/house/imports.test.ts')
  expect(tests.flatMap((path) => matchesIn(path, /\b(vi|vitest)\.(mock|doMock|hoisted)\(.*/g))).toEqual([])
})
