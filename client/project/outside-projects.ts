/** Folders that lie in no Unreal project or plugin and hold none: what is pushed from there may be anything. */
import { ClientError } from '../client-error.ts'
import type { NamedPaths } from './paths.ts'
import { scan } from './scan.ts'
import { holdsDescriptor, locate } from './unreal-project.ts'

const isDescriptor = (ext: string): boolean => ext === 'uproject' || ext === 'uplugin'

/** Of the named folders, those without a `.uproject` or `.uplugin` above, in or below them. Absolute paths. */
export async function findOutside({ root, starts }: NamedPaths, signal?: AbortSignal): Promise<string[]> {
  const outside: string[] = []
  for (const { path, isFolder, mount } of starts) {
    if (!isFolder || holdsDescriptor(locate(path).root)) continue
    const { files } = await scan(root, [{ path, mount }], { signal })
    if (!files.some(({ ext }) => isDescriptor(ext))) outside.push(path)
  }
  return outside
}

/** The folder of the project or plugin that a folder lies in. Throws ClientError `NO_PROJECT`. */
export function projectAround(folder: string): string {
  const { root } = locate(folder)
  if (holdsDescriptor(root)) return root
  throw new ClientError('NO_PROJECT', `${folder} lies in no Unreal project or plugin.`, {
    next: 'Go into a project, or name what to push: `ph push .`',
  })
}
