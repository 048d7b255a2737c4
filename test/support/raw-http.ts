/** Requests as no well-behaved client would send them: text on a bare connection. */
import { connect } from 'node:net'

/** Sends `text` and gives everything that comes back until the server closes. */
export function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let answer = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}
