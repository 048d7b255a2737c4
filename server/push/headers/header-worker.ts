/** The thread in which large package headers are read, so that nobody else waits for that. One at a time, its imports handed over some at a time. */
import { parentPort } from 'node:worker_threads'
import { type Look, lookInto, type Said } from './look.ts'

export type Question = { bytes: Uint8Array; said: Said } | 'next'
export interface Answer {
  /** Without imports; of the first answer. */
  look?: Look
  /** Of the header, those that come next. */
  imports: string[]
  isLast: boolean
}

/** As many as the other thread takes in within a few milliseconds. */
const importsAtOnce = 5000

let imports: readonly string[] = []
let given = 0

parentPort?.on('message', (question: Question) => {
  parentPort?.postMessage(question === 'next' ? some() : begin(question))
})

function begin({ bytes, said }: Exclude<Question, 'next'>): Answer {
  const { header, wrong } = lookInto(bytes, said)
  imports = header?.imports ?? []
  given = 0
  return { look: header ? { header: { ...header, imports: [] }, wrong } : { wrong }, ...some() }
}

function some(): Answer {
  const next = imports.slice(given, given + importsAtOnce)
  given += importsAtOnce
  return { imports: next, isLast: given >= imports.length }
}
