/** What the thread of the embedder is asked, and what it answers. */
import type { Look } from './embedder.ts'

/** What is known of an embedder without asking it anything. */
export interface EmbedderFacts {
  name: string
  dimensions: { readonly shape: number; readonly colour: number }
  colourWeight: number
  hasWords: boolean
}

export type Asked = { want: 'look' | 'questions'; bytes: Uint8Array } | { want: 'words'; text: string }
export type EmbedderOrder = Asked & { id: number }

export type ThreadAnswer =
  /** Once, at the beginning. */
  | { opened: EmbedderFacts }
  | { notOpened: string }
  | { id: number; looks: Look[] }
  /** `isUnreadable`: the bytes are at fault. */
  | { id: number; failure: string; isUnreadable: boolean }
