/** An embedder out of two models that someone downloaded: pictures and words in one space. */
import { resolve } from 'node:path'
import type { Embedder, Look } from '../embedder.ts'
import { ClipThread, type ClipThreadOptions } from './clip-thread.ts'
import { findModelFiles, hashOfModels } from './model-files.ts'

export interface ClipEmbedder extends Embedder {
  words(text: string): Promise<Look>
  /** Ends its thread, which holds up no process that ends. */
  close(): Promise<void>
}

/** Throws EmbedderError that names the file that is missing or cannot be used. */
export async function openClip(folder: string, options: ClipThreadOptions = {}): Promise<ClipEmbedder> {
  const path = resolve(folder)
  const name = `clip-2-${await hashOfModels(await findModelFiles(path))}`
  const thread = new ClipThread(path, options)
  const dimensions = await thread.start()
  const colour = new Float32Array(0)
  const look = async (bytes: Uint8Array): Promise<Look> => ({ shape: await thread.vectorOf({ picture: bytes }), colour })
  return {
    name,
    dimensions: { shape: dimensions, colour: 0 },
    colourWeight: 0,
    look,
    // Such models know that a mirrored thing is the same.
    questions: async (bytes) => [await look(bytes)],
    words: async (text) => ({ shape: await thread.vectorOf({ words: text }), colour }),
    close: () => thread.end(),
  }
}
