/** A thread that draws: it reads subjects once, then gives pictures of them as they are ordered. See drawing-thread.ts. */
import { parentPort } from 'node:worker_threads'
import { FormatError } from '../../../formats/format-error.ts'
import { ownPixels } from '../../../formats/pictures/decoding.ts'
import type { Size, View } from '../../../previews/camera.ts'
import { Drawing } from '../../../previews/subjects/drawing.ts'
import { readSubject, type SubjectFacts, type SubjectSource } from '../../../previews/subjects/subject.ts'
import { canvasOf, encodeFrame, type Frame } from './frames.ts'

export type DrawingOrder =
  /** One, or several that share angle, scale and length. */
  | { kind: 'read'; sources: readonly SubjectSource[] }
  /** A PNG of each. */
  | { kind: 'stills'; size: Size }
  /** Of the first; `zoom` 1 is what stays in the picture for a whole turn at `fitPitch`. */
  | { kind: 'frame'; turn: { yaw: number; pitch: number; zoom: number; fitPitch: number }; frame: Frame }

export type DrawingAnswer =
  | { kind: 'read'; facts: readonly SubjectFacts[] }
  | { kind: 'stills'; pngs: readonly Uint8Array[] }
  | { kind: 'frame'; text: string }
  /** `reason`: of a FormatError, or what the system calls it. */
  | { kind: 'failed'; reason: string; message: string }

let drawing = new Drawing([])
let subjects = 0

parentPort?.on('message', async (order: DrawingOrder) => {
  parentPort?.postMessage(await answerTo(order).catch(failed))
})

async function answerTo(order: DrawingOrder): Promise<DrawingAnswer> {
  if (order.kind === 'read') {
    const read = await Promise.all(order.sources.map(readSubject))
    subjects = read.length
    drawing = new Drawing(read)
    return { kind: 'read', facts: read.map(({ facts }) => facts) }
  }
  if (order.kind === 'stills') {
    const pngs: Uint8Array[] = []
    for (let which = 0; which < subjects; which++) pngs.push(await still(order.size, which))
    return { kind: 'stills', pngs }
  }
  return { kind: 'frame', text: await frameText(order) }
}

async function still(size: Size, which: number): Promise<Uint8Array> {
  const { rgba, width, height } = await drawing.draw(size, { which })
  const own = await ownPixels(rgba, { width, height, channels: 4 })
  return new Uint8Array(await own.png({ compressionLevel: 1 }).toBuffer())
}

async function frameText({ turn, frame }: Extract<DrawingOrder, { kind: 'frame' }>): Promise<string> {
  const size = canvasOf(frame.style, frame.shape)
  const { yaw, pitch, fitPitch } = turn
  const zoom = turn.zoom * drawing.turningZoom(fitPitch, size)
  const view: View = { yaw, pitch, framing: 'turning', zoom }
  return encodeFrame(await drawing.draw(size, { view }), frame)
}

function failed(error: unknown): DrawingAnswer {
  if (error instanceof FormatError) return { kind: 'failed', reason: error.reason, message: error.message }
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') throw error
  return { kind: 'failed', reason: code, message: systemSentences[code] ?? `The file cannot be read (${code}).` }
}

const systemSentences: Record<string, string> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'This is a folder; name a file in it.',
  EACCES: 'The file may not be opened.',
}
