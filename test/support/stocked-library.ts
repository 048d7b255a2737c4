/** A workspace that holds a few props which need one another, for agents that bring them into other projects. */
import { filesBelow } from './pull.ts'
import type { TestServer } from './server.ts'
import { makeProject } from './unreal-project.ts'

/** A wall that needs a brick and a chair, in the library; gives what they are. */
export async function stockedLibrary(server: TestServer) {
  const { url, keys } = await server.addWorkspace()
  const target = { url, key: keys.mia }
  const source = await makeProject({
    'Content/Town/SM_Wall.uasset': { imports: ['/Game/Town/T_Brick'], payload: Buffer.alloc(9000, 'wall') },
    'Content/Town/T_Brick.uasset': { payload: Buffer.alloc(5000, 'brick') },
    'Content/Town/SM_Chair.uasset': { payload: Buffer.alloc(7000, 'chair') },
  })
  await source.push(target)
  return { target, keys, source, wanted: filesBelow(`${source.root}/Content`) }
}
