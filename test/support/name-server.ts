/** A name server that answers what a test says, each time anew: one that a stranger runs, and that changes its mind. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

const headerBytes = 12
const typeA = 1

export interface NameServer {
  /** `127.0.0.1:1234`, as the server takes it. */
  address: string
  /** Names that were asked for, once for each question about IPv4. */
  questions: string[]
}

/** `answer`: the IPv4 addresses of a name. Nothing has an IPv6 address. Ends with the test. */
export async function startNameServer(answer: (name: string, question: number) => readonly string[]): Promise<NameServer> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    if (type === typeA) questions.push(name)
    const addresses = type === typeA ? answer(name, questions.length) : []
    const header = Buffer.from(query.subarray(0, headerBytes))
    // An answer without error; one question, and so many records.
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([header, query.subarray(headerBytes, end), ...addresses.map(recordOf)]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, questions }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Of the name that was asked for; to be forgotten at once. */
function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(typeA, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt16BE(4, 10)
  record.set(address.split('.').map(Number), 12)
  return record
}
