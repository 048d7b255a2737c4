/** The thread in which large bodies are read and checked, so that nobody else waits for that. One at a time, handed over piece by piece. */
import { parentPort } from 'node:worker_threads'
import { agentRoutes } from '../../contract/agent.ts'
import { ApiError } from '../../contract/errors.ts'
import { allRoutes } from '../../contract/index.ts'
import { operatorRoutes } from '../../contract/operator.ts'
import type { Route } from '../../contract/route.ts'
import { inputReader } from '../validation.ts'
import { parseJson } from './parse.ts'
import { type Piece, piecesOf } from './pieces.ts'

/** What is to be read: the body of a request, and what else its input is made of. */
export interface Task {
  method: string
  /** Of the route, with its braces. */
  path: string
  params: Record<string, string | undefined>
  query: Record<string, string | string[] | undefined>
  blocks: Uint8Array[]
}

export type Question = Task | 'next'
export type Answer =
  | { pieces: Piece[]; isLast: boolean }
  | { refusal: Pick<ApiError, 'code' | 'message' | 'details'> }
  | { failure: string }

/** Of every table that is mounted with bodies of JSON. */
const known: readonly Route[] = [...allRoutes, ...operatorRoutes, ...agentRoutes].map(([, , route]) => route)

/** One message wakes the other thread once: one for each piece would keep both waiting on a busy machine. */
const piecesAtOnce = 16

const readers = new Map<Route, ReturnType<typeof inputReader>>()
let pieces: Iterator<Piece> | undefined

parentPort?.on('message', (question: Question) => {
  parentPort?.postMessage(answerTo(question))
})

function answerTo(question: Question): Answer {
  try {
    if (question !== 'next') pieces = read(question)
    const some: Piece[] = []
    while (some.length < piecesAtOnce) {
      const next = pieces?.next()
      if (!next || next.done) return { pieces: some, isLast: true }
      some.push(next.value)
    }
    return { pieces: some, isLast: false }
  } catch (error) {
    pieces = undefined
    if (!(error instanceof ApiError)) return { failure: String(error) }
    const { code, message, details } = error
    return { refusal: { code, message, details } }
  }
}

function read({ method, path, params, query, blocks }: Task): Iterator<Piece> {
  const route = known.find((one) => one.method === method && one.path === path)
  if (!route?.input) throw new Error(`no route takes a body at ${method} ${path}`)
  const readInput = readers.get(route) ?? inputReader(route)
  readers.set(route, readInput)
  return piecesOf(route.input, readInput({ params, query, body: parseJson(blocks) }))
}
