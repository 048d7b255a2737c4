/** Rules of rooms: how many files one holds, and which others it imports, as the tables of ARCHITECTURE.md say. */
import { dirname } from 'node:path/posix'
import { expect, test } from 'vitest'
import { type Import, importsOf, programFiles, textOf } from './project.ts'

const map = textOf('ARCHITECTURE.md')
const programs = ['client', 'server', 'agent', 'mcp', 'cli'] as const
const sources = programFiles.filter((path) => !/^(test|bench|sample)\//.test(path))
const imports: readonly Import[] = sources.flatMap(importsOf)

/** Each file of such a folder is a noun of its own: the folder grows with the product. */
const foldersOfNouns = ['contract', 'client/package', 'server/library', 'agent/api', 'cli/commands', 'server/database/migrations']
const mostFiles = 20

test('a folder holds at most 20 files, folders of nouns aside', () => {
  const counts = Map.groupBy(sources, (path) => dirname(path))
  const full = [...counts].filter(([folder, files]) => files.length > mostFiles && !foldersOfNouns.includes(folder))
  expect(full.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
})

/** The floors, each with the folders that it may import. */
const floors = new Map(
  [...(map.split('## Floors\n')[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z]+)\/` \| .* \| ([a-z, ]+?) *\|$/gm)].map(
    ([, floor = '', allowed = '']) => [floor, allowed === 'nothing of ours' ? [] : allowed.split(', ')],
  ),
)

test('a folder imports the folders that its row names; cli loads others only when they are asked for', () => {
  expect([...floors.keys()]).toEqual(
    expect.arrayContaining(['contract', 'formats', 'previews', 'serving', ...programs, 'sample']),
  )
  const across = programFiles.filter((path) => floors.has(path.split('/')[0] ?? '')).flatMap(importsOf)
  const strange = across.filter(({ from, target, kind }) => {
    const [floor = '', other = ''] = [from.split('/')[0], target.split('/')[0]]
    if (floor === other || !floors.has(other)) return false
    return !floors.get(floor)?.includes(other) && !(floor === 'cli' && kind !== 'static')
  })
  expect(strange.map(({ from, target }) => `${from} imports ${target}`)).toEqual([])
})

/** Of a program: the rows of its table, each with the rooms that it may import. */
function roomsOf(program: string): Map<string, Set<string>> {
  const [, table = ''] = map.split(`### \`${program}/\`\n`)
  const rows = [...(table.split(/\n##/)[0] ?? '').matchAll(/^\| `([a-z-]+)\/` \| .* \| ?([a-z, -]*) ?\|$/gm)]
  return new Map(rows.map(([, room = '', allowed = '']) => [room, new Set(allowed.split(', ').map((one) => one.trim()))]))
}

/** The room of a file within its program; undefined for a file beside the rooms. */
const roomOf = (path: string): string | undefined => (path.split('/').length > 2 ? path.split('/')[1] : undefined)

test.each(programs)('every room of %s has its row in ARCHITECTURE.md', (program) => {
  const there = new Set(sources.flatMap((path) => (path.startsWith(`${program}/`) ? (roomOf(path) ?? []) : [])))
  expect([...roomsOf(program).keys()].sort()).toEqual([...there].sort())
})

test.each(programs)('a room of %s imports the rooms that its row names, types included', (program) => {
  const rooms = roomsOf(program)
  const within = imports.filter(({ from, target }) => from.startsWith(`${program}/`) && target.startsWith(`${program}/`))
  const strange = within.filter(({ from, target }) => {
    const [room, other] = [roomOf(from), roomOf(target)]
    return room !== undefined && other !== undefined && room !== other && !rooms.get(room)?.has(other)
  })
  expect(strange.map(({ from, target }) => `${from} imports ${target}`)).toEqual([])
})

test.each(programs)('the rows of %s name only rooms that are imported, and none of them leads back', (program) => {
  const rooms = roomsOf(program)
  const used = (room: string, other: string) =>
    imports.some(
      ({ from, target }) => from.startsWith(`${program}/${room}/`) && target.startsWith(`${program}/${other}/`) && room !== other,
    )
  const idle = [...rooms].flatMap(([room, allowed]) =>
    [...allowed].filter((other) => other !== '' && !used(room, other)).map((other) => `${room} -> ${other}`),
  )
  expect(idle).toEqual([])
  const mutual = [...rooms].flatMap(([room, allowed]) =>
    [...allowed].filter((other) => rooms.get(other)?.has(room)).map((other) => `${room} <-> ${other}`),
  )
  expect(mutual).toEqual([])
})

test('no file imports itself through others, types included', () => {
  const targets = Map.groupBy(
    imports.filter(({ kind }) => kind !== 'lazy'),
    ({ from }) => from,
  )
  const state = new Map<string, 'open' | 'done'>()
  const circles: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      circles.push([...way.slice(way.indexOf(path)), path].join(' -> '))
      return
    }
    state.set(path, 'open')
    for (const { target } of targets.get(path) ?? []) visit(target, [...way, path])
    state.set(path, 'done')
  }
  for (const path of sources) visit(path, [])
  expect(circles).toEqual([])
})

test('a file under 25 lines has two importers, or is loaded by itself', () => {
  const small = sources.filter((path) => textOf(path).split('\n').length <= 25)
  const isLoadedAlone = (path: string) =>
    imports.some(({ target, kind }) => target === path && kind === 'lazy') ||
    /-(worker|reader)\.ts$|\/(main|worker)\.ts$/.test(path)
  const lonely = small.filter(
    (path) => !isLoadedAlone(path) && new Set(imports.filter(({ target }) => target === path).map(({ from }) => from)).size < 2,
  )
  expect(lonely.filter((path) => !foldersOfNouns.includes(dirname(path)))).toEqual([])
})

test('ARCHITECTURE.md is a map of at most 120 lines', () => {
  expect(map.split('\n').length).toBeLessThanOrEqual(121)
})
