/** A real S3 server (Ceph's radosgw) for tests, and a front of it that fails as a test says. Debian: apt-get install radosgw ceph-mon ceph-osd. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { readBucketAddress } from '../../server/bucket-address.ts'
import { systemClock } from '../../server/clock.ts'
import type { Settings } from '../../server/config.ts'
import { Bucket } from '../../server/storage/s3/bucket.ts'
import { afterFile } from './after-file.ts'

const script = fileURLToPath(new URL('../../bin/object-storage.sh', import.meta.url))

/** Tests over a real store run where one is installed: `test.runIf(hasObjectStorage)`. `.ci/run` installs it. */
export const hasObjectStorage = ((): boolean => {
  try {
    execFileSync('sh', ['-c', 'command -v radosgw ceph-mon ceph-osd ceph'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

export interface ObjectStorage {
  /** For a server in this process, over `front`. */
  settings: Pick<Settings, 'storageUrl' | 'storageKey'>
  /** For one of its own. */
  env: Record<string, string>
  bucket: Bucket
  front: StoreFront
}

/** Ended with all it holds after the test file. */
export async function startObjectStorage(): Promise<ObjectStorage> {
  const child = spawn(script, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  afterFile(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  while (!/^PH_STORAGE_SECRET=.*\n/m.test(said)) {
    const went = await Promise.race([once(child.stdout, 'data').then(() => undefined), ended])
    if (went) throw new Error('the object storage did not start')
  }
  const told = Object.fromEntries(
    said
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  )
  const key = { id: told.PH_STORAGE_KEY ?? '', secret: told.PH_STORAGE_SECRET ?? '' }
  const front = await startFront(readBucketAddress(told.PH_STORAGE_URL ?? '').endpoint)
  const storageUrl = `s3://props?endpoint=${front.url}`
  const bucket = new Bucket({ address: readBucketAddress(told.PH_STORAGE_URL ?? ''), key, clock: systemClock })
  afterFile(() => bucket.close())
  return { settings: { storageUrl, storageKey: key }, env: { ...told, PH_STORAGE_URL: storageUrl }, bucket, front }
}

/** What becomes of a request: nothing is answered, the connection ends before or within the answer, or it is refused in XML. */
export type Fault = 'silent' | 'cut' | 'cut-answer' | { status: number; code: string }

export interface StoreFront {
  url: string
  /** `METHOD /path` of everything that was asked. */
  asked: string[]
  /** Asked for every request; nothing where it passes. */
  fault: (asked: string) => Fault | undefined
}

/** The signature names the host that the client means, so that is passed on as it is. */
async function startFront(endpoint: string): Promise<StoreFront> {
  const server = createServer((request, response) => {
    const asked = `${request.method} ${request.url?.split('?')[0]}`
    front.asked.push(asked)
    const fault = front.fault(asked)
    if (fault === undefined || fault === 'cut-answer') return pass(endpoint, { request, response, isCut: fault !== undefined })
    if (fault === 'silent') return request.resume()
    if (fault === 'cut') return request.socket.destroy()
    request.resume()
    request.once('end', () => {
      response.writeHead(fault.status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${fault.code}</Code><Message></Message></Error>`)
    })
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterFile(() => {
    server.closeAllConnections()
    server.close()
  })
  const front: StoreFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    fault: () => undefined,
  }
  return front
}

function pass(
  endpoint: string,
  { request, response, isCut }: { request: IncomingMessage; response: ServerResponse; isCut: boolean },
): void {
  const { method, url, headers } = request
  const onward = httpRequest(new URL(url ?? '/', endpoint), { method, headers, setHost: false })
  onward.on('error', () => response.destroy())
  request.on('error', () => onward.destroy())
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    if (!isCut) return answer.pipe(response)
    answer.once('data', (chunk: Buffer) => response.write(chunk.subarray(0, chunk.length / 2), () => response.destroy()))
    return undefined
  })
  request.pipe(onward)
}
