/** A thread that reads the source data of files, one at a time. See source-threads.ts. */
import { parentPort } from 'node:worker_threads'
import { FormatError, type FormatErrorReason } from '../../formats/format-error.ts'
import { type Converted, convert } from '../convert.ts'
import { makeMedia } from '../made-media.ts'
import { readFileSource } from '../source-data/file-source.ts'
import { packagesBeside } from '../source-data/project-packages.ts'
import { type SourceFacts, sourceFacts } from '../source-data/source-facts.ts'
import type { MadeMedia, MediaOrder } from './media-order.ts'

/** `facts` are what is known of it; `convert` makes a GLB, PNG or WAV of it; `media` what a library wants of it. */
export type SourceOrder = { path: string; want: 'facts' | 'convert' } | MediaOrder

export type SourceAnswer =
  | { kind: 'facts'; facts: SourceFacts }
  | { kind: 'converted'; converted: Converted }
  | { kind: 'media'; media: MadeMedia }
  /** A package of a class that has no source data. */
  | { kind: 'none' }
  /** `reason`: of a FormatError; what the system calls it; `timeout` and `ended` of the thread itself. */
  | { kind: 'failed'; reason: FormatErrorReason | 'timeout' | 'ended' | (string & {}); message: string }

parentPort?.on('message', async (order: SourceOrder) => {
  const answer = await answerTo(order).catch(failed)
  parentPort?.postMessage(
    answer,
    bytesOf(answer).map(({ buffer }) => buffer as ArrayBuffer),
  )
})

/** What is handed over without a copy. */
function bytesOf(answer: SourceAnswer): Uint8Array[] {
  if (answer.kind === 'converted') return [answer.converted.bytes]
  if (answer.kind !== 'media') return []
  const { preview, thumbnail } = answer.media
  return [...(preview ? [preview.bytes] : []), ...(thumbnail ? [thumbnail] : [])]
}

async function answerTo(order: SourceOrder): Promise<SourceAnswer> {
  const { path, want } = order
  if (want === 'media') return { kind: 'media', media: await makeMedia(order) }
  const source = await readFileSource(path)
  if (source === undefined) return { kind: 'none' }
  if (want === 'facts') return { kind: 'facts', facts: sourceFacts(source) }
  return { kind: 'converted', converted: await convert(source, packagesBeside(path)) }
}

const systemSentences: Record<string, string> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'This is a folder; name the files in it.',
  EACCES: 'The file may not be opened.',
}

function failed(error: unknown): SourceAnswer {
  if (error instanceof FormatError) return { kind: 'failed', reason: error.reason, message: error.message }
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') throw error
  return { kind: 'failed', reason: code, message: systemSentences[code] ?? `The file cannot be read (${code}).` }
}
