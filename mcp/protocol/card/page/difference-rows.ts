/** What differs between two versions, as rows for people: measures, size, engine, needs; not ids and hashes, which always differ. */
import type { Difference } from './answers.ts'

const shown = /^(metadata\.|needs$|blob_size$|engine_version$|asset_class$|asset_name$|origin_path$)/
const longestCell = 120

type Row = [what: string, before: string, now: string]

export function differenceRows(differences: readonly Difference[]): Row[] {
  return differences
    .filter(({ field }) => shown.test(field))
    .map(({ field, from, to }) => [wordsOf(field), ...(field === 'needs' ? needs(from, to) : [text(from), text(to)])] as Row)
}

const wordsOf = (field: string): string =>
  field
    .split('.')
    .filter((part) => part !== 'metadata')
    .join(', ')
    .replaceAll('_', ' ')

/** Which are gone, and which came. */
function needs(from: unknown, to: unknown): [string, string] {
  const [before, now] = [from, to].map((list) => (Array.isArray(list) ? list : []).map(nameOf))
  const only = (some: string[] = [], others: string[] = []) => cut(some.filter((name) => !others.includes(name)).join(', '))
  return [only(before, now), only(now, before)]
}

function nameOf(need: unknown): string {
  const { origin_path, asset_name, version } = (need ?? {}) as Record<string, unknown>
  return `${origin_path ?? asset_name} (version ${version})`
}

function text(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'number') return value.toLocaleString('en')
  return cut(typeof value === 'string' ? value : JSON.stringify(value))
}

const cut = (long: string): string => (long.length > longestCell ? `${long.slice(0, longestCell - 1)}…` : long || 'none')
