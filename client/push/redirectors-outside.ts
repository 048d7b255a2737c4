/** Redirectors beside what is pushed that lead to something in it: they say of a moved file which prop it was (uasset-header 12.2). */
import { relation } from '../memory/current-versions.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { PackageSearch } from '../project/package-search.ts'
import type { PushFile } from '../project/project-file.ts'
import type { FoundFile } from '../project/scan.ts'

interface Outside {
  memory: ProjectMemory
  search: PackageSearch
  /** Files of the push, below the root. */
  seen: ReadonlySet<string>
  /** Reads files, and remembers what they hold. */
  read(found: FoundFile[]): Promise<unknown>
}

/** Reads the files of props that were saved since they were last read; nothing where all files of the push are known here. */
export async function redirectorsOutside(
  files: readonly PushFile[],
  { memory, search, seen, read }: Outside,
): Promise<FoundFile[]> {
  const led = new Set(files.flatMap(newcomer))
  if (led.size === 0) return []
  const edited = memory.faces.rows().flatMap(([file, stat, bits]) => {
    const found = bits & relation.based && !seen.has(file) ? search.findFile(file) : undefined
    return found && found.stat !== stat ? found : []
  })
  if (edited.length > 0) await read(edited)
  const redirectors = memory.faces.redirectors().filter(({ file }) => !seen.has(file))
  const leading = new Set<string>()
  for (let before = -1; before < leading.size; ) {
    before = leading.size
    for (const { file, package: name, target } of redirectors)
      if (led.has(target)) {
        leading.add(file)
        if (name !== null) led.add(name)
      }
  }
  return [...leading].flatMap((file) => search.findFile(file) ?? [])
}

/** The name of a package that was neither pushed nor pulled where it is. */
const newcomer = ({ facts, known, naming: { packageName } }: PushFile): string[] =>
  facts.kind === 'package' && !known?.base && packageName !== null ? [packageName.toLowerCase()] : []
