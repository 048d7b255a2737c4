/** Packages by their long names: beside a file of an Unreal project, in its Content folder and those of its plugins. */
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import type { FindPackage } from './materials.ts'
import { readWithin } from './needed-files.ts'

const longName = /^\/([^/\\:]+)((?:\/[^/\\:]+)+)$/

/** Finds nothing for a file that lies in no folder named Content. */
export function packagesBeside(path: string): FindPackage {
  const content = contentFolder(path)
  if (content === undefined) return async () => undefined
  const owner = dirname(content)
  const plugins = pluginsFolder(owner)
  const project = plugins === undefined ? owner : dirname(plugins)
  return async (name) => {
    const [, mount = '', rest = ''] = longName.exec(name) ?? []
    if (rest === '' || rest.split('/').includes('..')) return undefined
    for (const folder of await mountedAt(project, mount)) {
      const bytes = await readWithin(join(folder, `${rest}.uasset`))
      if (bytes) return bytes
    }
    return undefined
  }
}

function contentFolder(path: string): string | undefined {
  for (let folder = dirname(path); dirname(folder) !== folder; folder = dirname(folder))
    if (basename(folder).toLowerCase() === 'content') return folder
  return undefined
}

/** Of a plugin's folder: the folder named Plugins above it, in which plugins may be grouped. */
function pluginsFolder(owner: string): string | undefined {
  const parts = owner.split(sep)
  const at = parts.findLastIndex((part) => part.toLowerCase() === 'plugins')
  return at > 0 && at >= parts.length - 3 ? parts.slice(0, at + 1).join(sep) : undefined
}

async function mountedAt(project: string, mount: string): Promise<string[]> {
  if (mount.toLowerCase() === 'game') return [join(project, 'Content')]
  const plugins = join(project, 'Plugins')
  const groups = await readdir(plugins, { withFileTypes: true }).catch(() => [])
  const folders = [plugins, ...groups.filter((entry) => entry.isDirectory()).map(({ name }) => join(plugins, name))]
  return folders.map((folder) => join(folder, mount, 'Content'))
}
