/** Programs and scripts that a library holds from before it refused them, as a check shows them. */
import type { CheckReport } from '../../../server/administration/files/check.ts'
import { printable } from '../../../system/printable.ts'
import { count } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { table } from '../../terminal/table.ts'
import { wrap } from '../../terminal/wrap.ts'

type Executables = CheckReport['executables']
type Listed = Executables['listed'][number]

/** More are in the JSON. */
const mostListed = 20

const columns = [
  { title: 'WORKSPACE', value: ({ workspace }: Listed) => workspace, spare: true as const },
  { title: 'NAME', value: ({ name, version }: Listed) => `${printable(name)} v${version}`, cut: 'end' as const },
  { title: 'ENTRY', value: ({ entry_id }: Listed) => (entry_id === null ? '-' : String(entry_id)) },
  { title: 'PUSHED FROM', value: ({ origin_path }: Listed) => printable(origin_path ?? '-'), cut: 'middle' as const },
  { title: 'WHY', value: ({ why }: Listed) => printable(why), cut: 'end' as const },
]

/** Nothing where there are none. They are no damage: whether they go is for people to decide. */
export function executableWords({ total, listed }: Executables, out: Output): string[] {
  if (total === 0) return []
  const shown = listed.slice(0, mostListed)
  const kept = `${count(total, 'version is a program or script', 'versions are programs or scripts')}, by kind or by place. The library took ${total === 1 ? 'it' : 'them'} before it refused such files; no project gets ${total === 1 ? 'it' : 'them'}. To remove an entry: \`ph delete <entry>\`, or \`ph deprecate\` it where it was pulled before.`
  return [
    '',
    ...table(shown, columns, out),
    ...(total > shown.length ? [`  and ${total - shown.length} more (--json)`] : []),
    ...wrap(kept, out.width),
  ]
}
