/** Comments as threads, and what in them names people. Pure. */
import type { Comment } from '../../contract/comments.ts'
import type { UserStub } from '../../contract/shapes.ts'

/** A comment at the top, with its replies, oldest first. */
export interface Thread {
  top: Comment
  replies: Comment[]
}

/** In the order in which they were begun. */
export function threadsOf(comments: readonly Comment[]): Thread[] {
  const replies = Map.groupBy(
    comments.filter(({ parent_id }) => parent_id !== null),
    ({ parent_id }) => parent_id,
  )
  return comments.filter(({ parent_id }) => parent_id === null).map((top) => ({ top, replies: replies.get(top.id) ?? [] }))
}

/** `@` at the beginning of a word; an address such as ada@acme.test names nobody. */
const nameBegins = /(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}])/gu
/** A name that others go on from: `@mia` does not stand in `@miaa`. */
const goesOn = /^[\p{L}\p{N}_]|^[.-][\p{L}\p{N}_]/u
const word = /^[\p{L}\p{N}_.-]*[\p{L}\p{N}]/u

/** The names after an `@` that are nobody's, or more than one person's, each once: nobody was told because of them. */
export function namesOfNobody(text: string, mentions: readonly UserStub[]): string[] {
  const names = mentions.flatMap(({ name, display_name }) => [name, display_name].map((one) => one.toLowerCase())).filter(Boolean)
  const after = [...text.matchAll(nameBegins)].map(({ index }) => text.slice(index + 1))
  const isNamed = (rest: string) =>
    names.some((name) => rest.toLowerCase().startsWith(name) && !goesOn.test(rest.slice(name.length)))
  const unknown = after.filter((rest) => !isNamed(rest))
  return [...new Set(unknown.flatMap((rest) => word.exec(rest)?.[0] ?? []))]
}
