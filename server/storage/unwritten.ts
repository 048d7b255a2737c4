/** What is left of chunks when a write took their first bytes only. */
export function unwritten(chunks: readonly Buffer[], written: number): Buffer[] {
  let left = written
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(left, chunk.length))
    left -= chunk.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}
