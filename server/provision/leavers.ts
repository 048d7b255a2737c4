/** Members whom the file disables and who still have something checked out: said, because it stops everyone else until it ends. */
import { shellWord } from '../../system/shell-word.ts'
import { holdingsOf } from '../check-out/holdings.ts'
import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { ProvisionFile } from './file.ts'

/** A sentence for each, which names what they have and the command that releases it. */
export async function leaversIn(sql: Sql, { workspaces }: ProvisionFile, now: Date): Promise<string[]> {
  const found: string[] = []
  for (const { slug, members = [] } of workspaces) {
    const emails = members.filter(({ status }) => status === 'disabled').map(({ email }) => email.toLowerCase())
    if (emails.length > 0) found.push(...(await leaversOf(sql, { slug, emails, now })))
  }
  return found
}

interface Named {
  slug: string
  emails: readonly string[]
  now: Date
}

async function leaversOf(sql: Sql, { slug, emails, now }: Named): Promise<string[]> {
  const people = await sql<{ workspace_id: number; id: number; email: string }[]>`
    select m.workspace_id, m.id, a.email
      from members m join accounts a on a.id = m.account_id join workspaces w on w.id = m.workspace_id
     where w.slug = ${slug} and a.email ${amongTexts(sql, emails)} order by m.id`
  const [first] = people
  if (!first) return []
  const ids = people.map(({ id }) => id)
  const held = await holdingsOf({ sql, workspace: { id: first.workspace_id }, now }, ids)
  return people.flatMap(({ id, email }) => {
    const { checkOuts, shown } = held.get(id) ?? { checkOuts: 0, shown: [] }
    if (checkOuts === 0) return []
    const names = shown.slice(0, 5).map(({ name }) => name)
    const list = checkOuts > names.length ? `${names.join(', ')} and ${checkOuts - names.length} more` : names.join(', ')
    const command = `ph server user disable ${shellWord(email)} --release --workspace ${slug}`
    return `${email} of ${slug} is disabled in the file and has checked out until ${shown[0]?.expiresAt}: ${list}. Nobody else can push it; \`${command}\` releases it.`
  })
}
