/** Files that are damaged or missing, as check, backup and restore show them. */
import type { DamagedFile } from '../../../contract/operator-files.ts'
import { printable } from '../../../system/printable.ts'
import type { Output } from '../../terminal/output.ts'
import { table } from '../../terminal/table.ts'

const damageWords = { missing: 'missing', size: 'cut or longer', content: 'other bytes' } as const

const columns = [
  { title: 'DAMAGE', value: (file: DamagedFile) => damageWords[file.damage] },
  { title: 'WHAT', value: (file: DamagedFile) => file.kind },
  { title: 'NAME', value: (file: DamagedFile) => printable(file.name), cut: 'end' as const },
  { title: 'PUSHED FROM', value: (file: DamagedFile) => printable(file.origin_path ?? '-'), cut: 'middle' as const },
  { title: 'WORKSPACE', value: (file: DamagedFile) => file.workspace, spare: true as const },
  { title: 'FILE', value: (file: DamagedFile) => file.key, cut: 'middle' as const, spare: 'late' as const },
]

export const damageTable = (files: readonly DamagedFile[], out: Output): string[] => table(files, columns, out)
