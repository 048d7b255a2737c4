/** How new props are named and filed where no folder under /Game says it. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { startTestServer } from '../../support/server.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, api: callAs(url, keys.mia) }
}

test('content of a plugin is filed under its plugin', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Plugins/Tools/Content/Iron/SM_Hinge.uasset': {}, 'Content/Doors/SM_Door.uasset': {} })
  project.write({ 'Plugins/Tools/Tools.uplugin': '{}' })
  await project.push(library, { paths: ['.'] })
  const { entries } = (await library.api.get('/entries')).body
  expect(entries.map(({ name, pack }: Json) => [name, pack.name])).toEqual([
    ['SM_Door', 'Doors'],
    ['SM_Hinge', 'Tools'],
  ])
})

test('two sources of one name are told apart by their folders, as far up as they differ', async () => {
  const library = await workspace()
  const project = await makeProject()
  project.write({
    'Scans/a/rock.obj': 'v 0 0 0\n',
    'Scans/b/rock.obj': 'v 0 0 1\n',
    'Scans/a/deep/moss.obj': 'v 0 0 2\n',
    'Scans/b/deep/moss.obj': 'v 0 0 3\n',
    'Scans/b/fern.obj': 'v 0 0 4\n',
  })
  const report = await project.push(library, { paths: ['Scans'] })
  const names = ['a/deep/moss', 'a/rock', 'b/deep/moss', 'b/rock', 'fern']
  expect(report.items.map(({ name }) => name).sort()).toEqual(names)
  const { entries } = (await library.api.get('/entries')).body
  expect(entries.map(({ name }: Json) => name).sort()).toEqual(names)
})

test('a copy is told to be the prop as it is called in the library', async () => {
  const library = await workspace()
  const project = await makeProject()
  project.write({ 'Scans/a/rock.obj': 'v 0 0 0\n', 'Scans/b/rock.obj': 'v 0 0 1\n', 'Scans/b/stone.obj': 'v 0 0 0\n' })
  const { problems } = await project.push(library, { paths: ['Scans'] })
  expect(problems).toMatchObject([
    {
      message: 'Scans/b/stone.obj has the same bytes as Scans/a/rock.obj: both are the prop a/rock.',
      next: expect.stringContaining('`ph tag add "stone" a/rock --create`'),
    },
  ])
})
