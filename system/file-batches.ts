/** Files for threads that take several in one message: the largest first, so that no thread is left with one at the end. */

const filesPerBatch = 64

/** Indexes of files: small ones go together, until they are so many or hold so many bytes. */
export function batchesBySize(files: readonly { size: number }[], mostBytes: number): number[][] {
  const bySize = files.map((_, index) => index).sort((a, b) => (files[b]?.size ?? 0) - (files[a]?.size ?? 0))
  const batches: number[][] = []
  let batch: number[] = []
  let bytes = 0
  for (const index of bySize) {
    batch.push(index)
    bytes += files[index]?.size ?? 0
    if (batch.length < filesPerBatch && bytes < mostBytes) continue
    batches.push(batch)
    batch = []
    bytes = 0
  }
  return batch.length > 0 ? [...batches, batch] : batches
}
