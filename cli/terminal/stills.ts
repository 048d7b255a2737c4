/** Pictures drawn of meshes, textures and sounds: PNGs, made in a thread with a limit of time. */
import type { SubjectFacts, SubjectSource } from '../../previews/subjects/subject.ts'

export interface Still {
  png: Uint8Array
  facts: SubjectFacts
}

/** Several share angle, scale and length. Throws DrawingError, or the reason of the signal. */
export async function drawStills(
  sources: readonly SubjectSource[],
  { signal, size = { width: 512, height: 512 } }: { signal: AbortSignal; size?: { width: number; height: number } },
): Promise<Still[]> {
  const { DrawingThread } = await import('./views/drawing-thread.ts')
  const thread = new DrawingThread({ signal })
  try {
    const facts = await thread.read(sources)
    const pngs = await thread.stills(size)
    return pngs.flatMap((png, at) => {
      const fact = facts[at]
      return fact ? [{ png, facts: fact }] : []
    })
  } finally {
    await thread.end()
  }
}
