// The packages that an Unreal package names without needing them to load.
import type { NameTable } from './names.ts'
import type { PackageReader } from './reader.ts'
import type { Summary } from './summary.ts'

/** Long names, sorted, each once; may hold the package's own. Throws FormatError. */
export function readSoftReferences(reader: PackageReader, names: NameTable, summary: Summary): string[] {
  const { ue4 } = summary.versions
  const table = summary.softPackageReferences
  if (table.count === 0 || table.offset <= 0) return []
  reader.enter(table, 'soft references', ue4 >= 514 ? 8 : 4)
  const found = new Set<string>()
  for (let i = 0; i < table.count; i++) {
    const reference = ue4 >= 514 ? names.read() : reader.string()
    found.add(ue4 >= 484 ? reference : packageOfObject(reference))
  }
  found.delete('')
  return [...found].sort()
}

/** `/Game/Meshes/SM_Rock.SM_Rock` lies in `/Game/Meshes/SM_Rock`. */
export function packageOfObject(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}
