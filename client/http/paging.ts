/** Lists that come in pages: each page names the next one by `next_cursor` (spec 1). */

/** A list that never ends is left after so many pages. */
const mostPages = 100_000

/** One page after the other, each asked for when the caller takes it; `cursor` is undefined for the first. Throws what `ask` throws. */
export async function* pagesOf<P>(ask: (cursor: string | undefined) => Promise<P>, first?: string): AsyncGenerator<P> {
  let cursor = first
  for (let page = 0; page < mostPages; page++) {
    const answer = await ask(cursor)
    yield answer
    const next = nextOf(answer)
    if (next === undefined || next === cursor) return
    cursor = next
  }
}

function nextOf(page: unknown): string | undefined {
  const { next_cursor } = (page ?? {}) as { next_cursor?: unknown }
  return next_cursor === null || next_cursor === undefined ? undefined : String(next_cursor)
}
