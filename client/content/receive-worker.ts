/** A thread that receives files over a few connections of its own. See receiver.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Received, type ReceiveOrder, ReceivingConnection } from './receiving-connection.ts'

export type NumberedOrder = ReceiveOrder & { id: number }

/** What a system call failed with: errors lose it on their way between threads. */
export type DiskFailure = Pick<NodeJS.ErrnoException, 'message' | 'code' | 'errno' | 'syscall' | 'path'>

export type ReceiveReport =
  | ({ id: number } & (Received | { failure: DiskFailure }))
  /** Bytes that are there of the files on their way, by the number of the order. */
  | { progress: [id: number, bytes: number][] }

export interface ReceiverSettings {
  connections: number
}

const progressMs = 100
const { connections } = workerData as ReceiverSettings
const waiting: NumberedOrder[] = []
const free = Array.from({ length: connections }, () => new ReceivingConnection())
const busy = new Map<number, ReceivingConnection>()

const post = (report: ReceiveReport): void => parentPort?.postMessage(report)

parentPort?.on('message', (order: NumberedOrder) => {
  waiting.push(order)
  begin()
})

setInterval(() => {
  const progress = [...busy].flatMap(([id, { progress: bytes }]) => (bytes > 0 ? [[id, bytes] as [number, number]] : []))
  if (progress.length > 0) post({ progress })
}, progressMs).unref()

function begin(): void {
  const connection = waiting.length > 0 ? free.pop() : undefined
  const order = connection && waiting.shift()
  if (order) void serve(connection, order)
}

async function serve(connection: ReceivingConnection, { id, ...order }: NumberedOrder): Promise<void> {
  busy.set(id, connection)
  const report = await connection.receive(order).catch((error: unknown) => ({ failure: failureOf(error) }))
  busy.delete(id)
  free.push(connection)
  begin()
  post({ id, ...report })
}

function failureOf(error: unknown): DiskFailure {
  const { message, code, errno, syscall, path } = error as NodeJS.ErrnoException
  return { message, code, errno, syscall, path }
}
