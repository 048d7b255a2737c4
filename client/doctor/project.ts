/** Faults of the project here: its descriptor, its Content folder, and names that another system or the library does not take. */

import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { nameKey } from '../../contract/names.ts'
import { type Finding, fine, note, warning } from '../../system/finding.ts'
import { ClientError } from '../client-error.ts'
import { whyNotOnWindows } from '../project/places/placeable.ts'
import { findTarget, type PullTarget } from '../pull/target-project.ts'
import type { Limited } from './options.ts'

export async function checkProject({ cwd, limitMs, signal }: Limited): Promise<Finding[]> {
  const target = findHere(cwd)
  if ('verdict' in target) return [target]
  const { project, root, engineVersion, content } = target
  const version = engineVersion ?? 'of an unknown version'
  const found = [fine('project', `${project} in ${root}, for Unreal Engine ${version}.`)]
  if (engineVersion === null)
    found.push(note('engine', 'Its .uproject names no engine version, so ph cannot tell which props are too new for it.'))
  if (!isFolder(content.path))
    return [
      ...found,
      warning('content', `${project} has no Content folder.`, `Pull something into it, or check that ${root} is the project.`),
    ]
  const names = await readNames(content.path, { limitMs, signal })
  return [...found, fine('content', `${content.path} holds ${names.count} files and folders.`), ...nameFindings(names)]
}

function findHere(cwd: string): PullTarget | Finding {
  try {
    return findTarget({ cwd })
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    if (error.code === 'SEVERAL_PROJECTS')
      return warning(
        'project',
        error.message,
        'Work in a folder that holds one project, or name one with `ph pull --project` and `--into`.',
      )
    return note('project', `${cwd} is not in an Unreal project. Inside of one, \`ph doctor\` looks at the project too.`)
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/** Names that mean trouble elsewhere. Paths below the Content folder. */
interface Names {
  count: number
  /** Those of one folder that differ in nothing but case. */
  clashes: string[][]
  /** Devices on Windows, and endings that it cuts off. */
  reserved: string[]
  /** Packages, and folders of them, that the library takes no place of. */
  strange: string[]
  /** There was no time for all of them. */
  isPartial: boolean
}

const mostNames = 500_000
const allowedName = /^[A-Za-z0-9_-]+$/

async function readNames(folder: string, { limitMs, signal }: { limitMs: number; signal: AbortSignal }): Promise<Names> {
  const names: Names = { count: 0, clashes: [], reserved: [], strange: [], isPartial: false }
  const endsMs = performance.now() + limitMs
  const open = [{ path: realpathSync(folder), below: '' }]
  for (let at = open.pop(); at; at = open.pop()) {
    await breathe()
    signal.throwIfAborted()
    if (performance.now() > endsMs || names.count > mostNames) return { ...names, isPartial: true }
    for (const inner of judgeFolder(at, names)) open.push(inner)
  }
  return names
}

/** Takes in what a folder holds; gives the folders in it. What cannot be opened is for a push to name. */
function judgeFolder({ path, below }: { path: string; below: string }, names: Names) {
  const entries = entriesOf(path).filter(({ name }) => !name.startsWith('.'))
  names.count += entries.length
  for (const same of Map.groupBy(entries, ({ name }) => nameKey(name)).values())
    if (same.length > 1) names.clashes.push(same.map(({ name }) => below + name))
  for (const entry of entries) {
    const { name } = entry
    const isPackage = /\.(uasset|umap)$/i.test(name)
    const stem = isPackage ? name.slice(0, name.lastIndexOf('.')) : name
    if (whyNotOnWindows(name) !== undefined) names.reserved.push(below + name)
    else if ((isPackage || entry.isDirectory()) && !allowedName.test(stem)) names.strange.push(below + name)
  }
  return entries.filter((one) => one.isDirectory()).map(({ name }) => ({ path: join(path, name), below: `${below}${name}/` }))
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

function nameFindings({ clashes, reserved, strange, isPartial }: Names): Finding[] {
  const found: Finding[] = []
  if (clashes.length > 0)
    found.push(
      warning(
        'names',
        `Names that differ in nothing but case are one name on other systems and in the library: ${shown(clashes.map((same) => same.join(' and ')))}.`,
        'Rename all but one of each in the editor.',
      ),
    )
  if (reserved.length > 0)
    found.push(warning('names', `Windows takes no such names: ${shown(reserved)}.`, 'Rename them in the editor.'))
  if (strange.length > 0)
    found.push(
      warning(
        'names',
        `Names with other letters than a-z, digits, _ and - can be pushed, but not pulled: ${shown(strange)}.`,
        'Rename them in the editor.',
      ),
    )
  if (isPartial) found.push(note('names', 'The Content folder is too large to look at every name in the time that there is.'))
  return found.length > 0 ? found : [fine('names', 'All names can be used on every system.')]
}

const mostShown = 3
const shown = (list: readonly string[]): string =>
  list.length > mostShown ? `${list.slice(0, mostShown).join(', ')} and ${list.length - mostShown} more` : list.join(', ')
