/** Bare requests to the control socket of a data folder. */
import { request } from 'node:http'
import { join } from 'node:path'
import { readNotes } from '../../server/administration/control-note.ts'

interface Asked {
  method: string
  path: string
  body?: string
  /** Without it the one beside the socket. */
  token?: string | undefined
}

export interface SocketAnswer {
  status: number | undefined
  json: unknown
}

export function socketRequest(dataDir: string, { method, path, body, token }: Asked): Promise<SocketAnswer> {
  const [found] = readNotes(dataDir)
  if (!found) throw new Error(`no socket is open in ${dataDir}`)
  const { dir, note } = found
  const headers = { authorization: `Bearer ${token ?? note.token}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const socketPath = note.pipe?.name ?? join(dir, 's')
    const asked = request({ socketPath, method, path, headers }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode, json: JSON.parse(text) })
    })
    asked.on('error', reject).end(body)
  })
}
