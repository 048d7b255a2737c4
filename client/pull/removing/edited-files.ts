/** Files here that the library does not have as they are, edited or never pushed: only this machine knows what they are, and what they refer to. */
import { nameKey } from '../../../contract/names.ts'
import { sortFound } from '../../memory/changes.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import { readChanged } from '../../memory/read-changed.ts'
import { findNamedPaths } from '../../project/paths.ts'
import { isRedirector, type PushFile } from '../../project/project-file.ts'
import { scan } from '../../project/scan.ts'
import type { PullTarget } from '../target-project.ts'

interface Looking {
  target: PullTarget
  memory: ProjectMemory
  signal?: AbortSignal | undefined
}

export interface EditedFiles {
  /** For each of the packages that were asked about: one such file that refers to it. */
  referrers: Map<string, string>
  /** Those that a rename here has left: they lead to the new place of a prop. */
  redirectors: Set<string>
}

/** Packages are written as `nameKey` writes them. */
export async function findEditedFiles(packages: ReadonlySet<string>, { target, memory, signal }: Looking): Promise<EditedFiles> {
  const { root, starts } = findNamedPaths([target.content.path])
  const { props } = sortFound((await scan(root, starts, { signal })).files, false)
  const pushed = memory.pushedStats()
  const unknown = props.filter(({ file, stat }) => pushed.get(file) !== stat)
  const { files } = await readChanged(unknown, { root, memory, tell: () => {}, signal })
  const edited = files.filter(({ hash, known }) => known?.base?.hash !== hash)
  const referrers = new Map<string, string>()
  for (const one of edited) for (const name of referencesOf(one)) if (packages.has(name)) referrers.set(name, one.found.file)
  return { referrers, redirectors: new Set(edited.filter(isRedirector).map(({ found }) => found.file)) }
}

const referencesOf = ({ facts }: PushFile): string[] =>
  facts.kind === 'package' ? [...facts.imports, ...facts.softReferences].map(nameKey) : []
