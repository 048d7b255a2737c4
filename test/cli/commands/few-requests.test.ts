/** How often the commands of every day ask the library: at most three times each, and as before where a server knows less. */
import { expect, test } from 'vitest'
import { type Front, type FrontOptions, startFront } from '../../support/http-front.ts'
import { inn } from '../../support/inn.ts'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()

/** Someone in an own project, whose requests are seen. */
async function watched(person: Person, options: Omit<FrontOptions, 'to'> = {}): Promise<{ away: Person; front: Front }> {
  const front = await startFront({ to: () => person.env.PH_URL ?? '', ...options })
  return { away: personAt(front.url, person.env.PH_API_KEY ?? ''), front }
}

async function askedBy({ away, front }: { away: Person; front: Front }, line: string, cwd = away.root): Promise<string[]> {
  front.asked.length = 0
  await away.ok(line, { cwd })
  return front.asked.map((asked) => asked.replace(/\?.*/, '').replace(/\d+/, '{id}'))
}

test('files are checked out and given back by three requests each, everything of mine by two', async () => {
  const { mia, olivia } = await inn(server)
  const seen = await watched(mia)
  await seen.away.ok('pull SM_Barrel SM_Stool')
  // The first look after a pull asks once more, from where the library's news are to be followed.
  await seen.away.ok('status')
  const files = 'Content/Inn/SM_Barrel.uasset Content/Inn/SM_Stool.uasset'
  const checkOut = ['GET /catalog/changes', 'POST /locks/radar', 'POST /locks/batch']
  expect(await askedBy(seen, `checkout ${files}`)).toEqual(checkOut)
  expect(await askedBy(seen, `release ${files}`)).toEqual(['GET /catalog/changes', 'POST /locks/radar', 'POST /locks/release'])
  await seen.away.ok(`checkout ${files}`)
  expect(await askedBy(seen, 'locks --mine')).toEqual(['GET /locks'])
  expect(await askedBy(seen, 'release --mine')).toEqual(['GET /locks', 'POST /locks/release'])
  expect((await olivia.ok('locks')).locks).toEqual([])
  expect((await seen.away.run('undo --yes')).stdout).toContain('2 props: checked out again')
})

test('props are checked out and given back by name by three requests, outside of a project and in one, right after a pull', async () => {
  const { mia } = await inn(server)
  const seen = await watched(mia)
  const named = ['GET /entries', 'POST /locks/radar']
  await seen.away.ok('pull SM_Barrel SM_Stool')
  for (const folder of [temporaryFolder(), seen.away.root]) {
    expect(await askedBy(seen, 'checkout SM_Barrel SM_Stool', folder)).toEqual([...named, 'POST /locks/batch'])
    expect(await askedBy(seen, 'release SM_Barrel SM_Stool', folder)).toEqual([...named, 'POST /locks/release'])
  }
})

test('a prop is shown by two requests, and as it was where a server answers its parts one by one', async () => {
  const { mia } = await inn(server)
  const [seen, older] = [await watched(mia), await watched(mia, { without: ['include'] })]
  expect(await askedBy(seen, 'show SM_Stool')).toEqual(['GET /entries', 'GET /entries/{id}'])
  for (const wish of ['', ' --versions', ' --closure', ' --dependents'])
    expect(await older.away.ok(`show SM_Stool${wish}`)).toEqual(await seen.away.ok(`show SM_Stool${wish}`))
})
