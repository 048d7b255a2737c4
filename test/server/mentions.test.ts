// Whom a text mentions (spec 4.7): `@` and a display name or a login name that means one person.
import { expect, test } from 'vitest'
import { mentionsIn, mentionsOf } from '../../server/discussion/mentions.ts'
import { startTestServer } from '../support/server.ts'

const people = [
  { id: 1, name: 'max', display_name: 'Max Member' },
  { id: 2, name: 'rita', display_name: 'Rita Reviewer' },
  { id: 3, name: 'sam1', display_name: 'Sam Twin' },
  { id: 4, name: 'sam', display_name: 'Sam Twin' },
  { id: 5, name: 'jorg', display_name: 'Jörg Łąka' },
  { id: 6, name: 'max.power', display_name: 'Max' },
  { id: 7, name: 'tanaka', display_name: '田中' },
  { id: 8, name: 'ipek', display_name: 'İpek' },
]

test.each([
  ['ask @max about it', [1]],
  ['@Max Member please', [1]],
  ['@max, @rita: see (@jorg).', [1, 2, 5]],
  ['@rita @max @Rita Reviewer', [2, 1]],
  ['frag @Jörg Łąka mal, nicht @JÖRG ŁĄKA', [5]],
  ['@Jo\u0308rg Łąka with a loose accent', [5]],
  ['@max.power is another person than @max.', [6, 1]],
  ['@田中さん', [7]],
  ['@maxさん', [1]],
  ['@İpek and @i̇pek', [8]],
  ['@sam', [4]],
  ['@max@rita, then @Sam Twin@jorg', [1, 2, 5]],
])('%s mentions %j', (text, ids) => {
  expect(mentionsOf(people, text)).toEqual(ids)
})

test.each([
  'nobody is @nobody',
  'two are @Sam Twin, and none is meant',
  '@Max is the display name of one and, in other letters, the login name of another',
  '@maximum',
  '@max_1',
  '@max-b',
  '@rita.x',
  'write to me@rita.test',
  '@ max',
  '@',
  'max',
  '',
])('%j stays plain', (text) => {
  expect(mentionsOf(people, text)).toEqual([])
})

test('a text full of @ is read in no time', () => {
  const many = Array.from({ length: 2000 }, (_, id) => ({ id, name: `a${'b'.repeat(id % 80)}`, display_name: `@${id} ${id}` }))
  expect(mentionsOf(many, '@'.repeat(4000)).length).toBe(0)
  expect(mentionsOf(many, '@a'.repeat(2000)).length).toBeGreaterThan(0)
})

test('someone who left is not mentioned, and a name that only they shared means the one who stayed', async () => {
  const server = await startTestServer()
  const { slug, workspaceId } = await server.addWorkspace()
  const email = (name: string) => `${name}@${slug}.test`
  const twin = (name: string) => ({ email: email(name), name, display_name: 'Sam Twin', role: 'member' as const })
  await server.changeWorkspace(slug, { members: [twin('mia'), twin('max')] })
  const { sql } = server.database
  expect(await mentionsIn(sql, workspaceId, 'hi @Sam Twin')).toEqual([])
  await server.changeWorkspace(slug, { members: [{ ...twin('mia'), status: 'disabled' }] })
  const [max] = await sql<{ id: number }[]>`select id from members where workspace_id = ${workspaceId} and name = 'max'`
  expect(await mentionsIn(sql, workspaceId, 'hi @Sam Twin, and @mia')).toEqual([max?.id])
})
