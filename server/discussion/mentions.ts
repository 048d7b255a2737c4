/** Who a text mentions: `@` and the display name or the login name of someone who belongs to the workspace (spec 4.7). */
import type { Sql } from '../database/sql.ts'

interface Named {
  id: number
  name: string
  display_name: string
}

/**
 * The members, each once, in the order in which the text names them. Of names that begin alike the longest counts. A login name as it is
 * written means its person; any other text has to mean just one, whatever its case, else it stays plain.
 */
export async function mentionsIn(sql: Sql, workspaceId: number, text: string): Promise<number[]> {
  if (!text.includes('@')) return []
  // As one value: a thousand rows take the driver longer than the database.
  const [row] = await sql<{ members: Named[] | null }[]>`
    select json_agg(json_build_object('id', id, 'name', name, 'display_name', display_name) order by id) as members
      from members where workspace_id = ${workspaceId} and status = 'active'`
  return mentionsOf(row?.members ?? [], text)
}

/** The same of these members. */
export function mentionsOf(members: readonly Named[], text: string): number[] {
  const names = new Names(members)
  const written = text.normalize('NFC')
  const mentioned = new Set<number>()
  let endOfLast = 0
  for (let at = written.indexOf('@'); at !== -1; at = written.indexOf('@', at + 1)) {
    if (at !== endOfLast && inAddress.test(written[at - 1] ?? '')) continue
    const named = names.at(written, at + 1)
    if (!named) continue
    endOfLast = named.end
    if (named.id !== undefined) mentioned.add(named.id)
  }
  return [...mentioned]
}

/** What stands before the `@` of an e-mail address. */
const inAddress = /[A-Za-z0-9_]/
/** More of a word, or of a name such as `max-b`: then it is another name. Scripts without spaces go on at once. */
const goesOn =
  /^(?:[[\p{L}\p{M}\p{N}_]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]]|[\-.][A-Za-z0-9])/v

/** As long as the name itself: no other letter than the dotted capital becomes two. */
const nameKey = (name: string): string => name.normalize('NFC').replaceAll('İ', 'I').toLowerCase()

class Names {
  /** Login names as they are written. */
  readonly #logins: ReadonlyMap<string, number>
  readonly #byKey = new Map<string, Set<number>>()
  /** The lengths that names have, the longest first, by the character they begin with. */
  readonly #lengths = new Map<string, number[]>()

  constructor(members: readonly Named[]) {
    this.#logins = new Map(members.map(({ id, name }) => [name.normalize('NFC'), id]))
    for (const { id, name, display_name } of members) for (const one of [name, display_name]) this.#add(nameKey(one.trim()), id)
    const lengths = new Map<string, Set<number>>()
    for (const key of this.#byKey.keys()) {
      const first = key.charAt(0)
      lengths.set(first, (lengths.get(first) ?? new Set()).add(key.length))
    }
    for (const [first, known] of lengths)
      this.#lengths.set(
        first,
        [...known].sort((a, b) => b - a),
      )
  }

  /** Who is named at this place of the text, and where the name ends; no id where several people may be meant. */
  at(text: string, start: number): { id: number | undefined; end: number } | undefined {
    for (const length of this.#lengths.get(nameKey(text.charAt(start)).charAt(0)) ?? []) {
      const end = start + length
      const named = text.slice(start, end)
      const ids = named.length === length ? this.#byKey.get(nameKey(named)) : undefined
      if (!ids || goesOn.test(text.slice(end, end + 2))) continue
      const [only] = ids
      return { id: this.#logins.get(named) ?? (ids.size === 1 ? only : undefined), end }
    }
    return undefined
  }

  #add(key: string, id: number): void {
    if (key !== '') this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(id))
  }
}
