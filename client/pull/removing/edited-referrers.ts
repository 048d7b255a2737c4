/** Files here that the library does not have as they are, edited or never pushed: only this machine knows what they refer to. */
import { nameKey } from '../../../contract/names.ts'
import { sortFound } from '../../memory/changes.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import { readChanged } from '../../memory/read-changed.ts'
import { findNamedPaths } from '../../project/paths.ts'
import type { PushFile } from '../../project/project-file.ts'
import { scan } from '../../project/scan.ts'
import type { PullTarget } from '../target-project.ts'

interface Looking {
  target: PullTarget
  memory: ProjectMemory
  signal?: AbortSignal | undefined
}

/** Finds, for each of these packages, one such file that refers to it. Packages are written as `nameKey` writes them. */
export async function findEditedReferrers(
  packages: ReadonlySet<string>,
  { target, memory, signal }: Looking,
): Promise<Map<string, string>> {
  const { root, starts } = findNamedPaths([target.content.path])
  const { props } = sortFound((await scan(root, starts, { signal })).files, false)
  const pushed = memory.pushedStats()
  const unknown = props.filter(({ file, stat }) => pushed.get(file) !== stat)
  const { files } = await readChanged(unknown, { root, memory, tell: () => {}, signal })
  const edited = files.filter(({ hash, known }) => known?.base?.hash !== hash)
  return new Map(
    edited.flatMap((one) =>
      referencesOf(one)
        .filter((name) => packages.has(name))
        .map((name) => [name, one.found.file] as const),
    ),
  )
}

const referencesOf = ({ facts }: PushFile): string[] =>
  facts.kind === 'package' ? [...facts.imports, ...facts.softReferences].map(nameKey) : []
