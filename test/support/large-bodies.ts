/** Bodies as large as they may be, and what is asked of a server while it works on them. */
import { request } from 'node:http'
import { item, manifestOf } from './push.ts'

/** `count` values that look alike, in a list under a key that no schema knows, beside one item that is in order. */
export const withJunk = (one: string, count: number): string =>
  `${JSON.stringify(manifestOf([item()])).slice(0, -1)},"junk":[${Array(count).fill(one).join()}]}`

export interface Sent {
  /** Everything has left this process. */
  sent: Promise<void>
  answer: Promise<{ status: number; headers: Record<string, unknown>; text: string }>
}

/** Sends a body as it is; chunked, without a length, when `isChunked`. */
export function send(url: string, { key, body, isChunked }: { key: string; body: string; isChunked?: boolean }): Sent {
  const bytes = Buffer.from(body)
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(isChunked ? {} : { 'content-length': bytes.length }),
  }
  const outgoing = request(url, { method: 'POST', headers, agent: false })
  const answer = new Promise<Awaited<Sent['answer']>>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }))
    })
  })
  const sent = new Promise<void>((resolve) => outgoing.on('finish', resolve))
  outgoing.end(bytes)
  return { sent, answer }
}

/** Asks one after the other until `work` is done; gives how many answers came meanwhile, all of which have to be in order. */
export async function askDuring(work: Promise<unknown>, ask: () => Promise<number>): Promise<number> {
  let [isDone, answered] = [false, 0]
  const end = work.finally(() => (isDone = true))
  while (!isDone) {
    const status = await ask()
    if (status !== 200) throw new Error(`answer ${answered + 1} was ${status}`)
    if (!isDone) answered++
  }
  await end
  return answered
}

/** What of an answer's status a test wants to know. */
export const statusOf = async (url: string, key?: string): Promise<number> => {
  const answer = await fetch(url, key ? { headers: { authorization: `Bearer ${key}` } } : {})
  await answer.arrayBuffer()
  return answer.status
}
