/** What the source data of a file measure, in lines below its other facts. */
import { printable } from '../../../system/printable.ts'
import type { Paint } from '../../terminal/output.ts'
import { pad } from '../../terminal/table.ts'
import type { FileDescription } from './file-description.ts'

const labelWidth = 16

/** Said above already, or of use to programs only: these stand in the answer of `--json`. */
const unsaid = new Set(['class', 'engine', 'tag_triangles', 'tag_nanite', 'triangles_not_degenerate', 'format_tag', 'data_bytes'])

const names: Record<string, string> = {
  source: 'encoding',
  rgba8_sha256: 'pixels SHA-256',
  pcm_sha256: 'samples SHA-256',
  bounds_min_cm: 'from (cm)',
  bounds_max_cm: 'to (cm)',
  build_scale: 'scale',
  duration_s: 'seconds',
  payload_id: 'payload',
  unsupported: 'source',
  error: 'source',
}

export function sourceLines({ source }: FileDescription, paint: Paint): string[] {
  if (source === undefined) return []
  if (source === null) return [`  ${paint('dim', pad('source', labelWidth))}none in a file of this kind`]
  return Object.entries(source).flatMap(([name, value]) => {
    if (unsaid.has(name) || value === null) return []
    const words = Array.isArray(value) ? value.join(', ') : String(value)
    return [`  ${paint('dim', pad(names[name] ?? name.replaceAll('_', ' '), labelWidth))}${printable(words)}`]
  })
}
