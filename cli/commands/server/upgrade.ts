/** What was changed of a library of an older version, as a check shows it. */
import type { CheckReport } from '../../../server/administration/files/check.ts'
import { count } from '../../terminal/amounts.ts'

/** Nothing where there is nothing to tell. */
export function upgradeWords(upgrade: CheckReport['references']['upgrade']): string[] {
  if (!upgrade) return []
  const { is_done, found, versions, doubled, level_sets, level_parts, completed } = upgrade
  const far = is_done
    ? `This library is of an older version: what ${count(versions, 'version refers', 'versions refer')} to is kept for their projects now.`
    : `This library is of an older version: what ${versions} of ${count(found, 'version refers', 'versions refer')} to is kept for their projects now. The server does the rest by itself while it runs.`
  const changed = [
    ...(doubled > 0 ? [`${count(doubled, 'reference')} went, because another one leads to the same path`] : []),
    ...(level_sets > 0 ? [`${count(level_parts, 'actor')} of levels became ${count(level_sets, 'set')}`] : []),
    ...(completed > 0 ? [`${count(completed, 'missing reference')} found what came meanwhile`] : []),
  ]
  return [changed.length > 0 ? `${far} ${changed.join('; ')}.` : far]
}
