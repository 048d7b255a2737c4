/** Answers the presigned addresses below /storage: reads with ranges, and uploads that are checked while they stream in. */
import type { KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../clock.ts'
import { letGoBy } from '../unread-body.ts'
import { contentDisposition } from './content-disposition.ts'
import type { FileStorage } from './fs.ts'
import { type DownloadGrant, storagePath, verifyDownload, verifyUpload } from './presigned.ts'
import { type Served, servedRange } from './served-range.ts'
import { requireFits } from './upload-size.ts'

export interface PresignedParts {
  storage: FileStorage
  secret: KeyObject
  clock: Clock
}

type PresignedRequest = FastifyRequest<{ Params: { '*': string }; Querystring: Record<string, string | string[]> }>

/** Files up to this size are answered as one buffer; streams cost more than they save below it. */
const bufferedBytes = 256 * 1024
const streamChunkBytes = 1024 * 1024

/** One line per file would cost as much as answering it, so these routes log failures only, like any object storage. */
export function mountPresigned(app: FastifyInstance, parts: PresignedParts): void {
  app.register(async (store) => {
    store.removeAllContentTypeParsers()
    store.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const route = { url: `${storagePath}/*`, logLevel: 'warn' } as const
    store.route({
      ...route,
      method: ['GET', 'HEAD'],
      exposeHeadRoute: false,
      handler: (request, reply) => download(parts, request as PresignedRequest, reply),
    })
    store.route({ ...route, method: 'PUT', handler: (request, reply) => upload(parts, request as PresignedRequest, reply) })
  })
}

const refused = (): ApiError =>
  new ApiError(
    'FORBIDDEN',
    'This address has expired, was altered, or was used without the headers it came with. Ask for a new one.',
  )

async function download({ storage, secret, clock }: PresignedParts, request: PresignedRequest, reply: FastifyReply) {
  const grant = verifyDownload(secret, { key: request.params['*'], query: request.query }, clock.now())
  if (!grant) throw refused()
  const file = storage.find(grant.key)
  if (!file) throw new ApiError('NOT_FOUND', 'The bytes of this address are no longer kept.')
  const etag = etagOf(grant.key)
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers
  const served = servedRange({ range, ifRange: ifRange as string | undefined, ifNoneMatch }, { size: file.size, etag })
  describe(reply, { grant, etag, served, size: file.size })
  if (served.status === 304 || served.status === 416 || request.method === 'HEAD') return reply.send()
  return reply.send(await bytesOf(file, served))
}

/** Every key names the same bytes for ever: a blob's is its hash, a media file's was never used before. */
const etagOf = (key: string): string => `"${key.slice(key.lastIndexOf('/') + 1)}"`

function describe(
  reply: FastifyReply,
  { grant, etag, served, size }: { grant: DownloadGrant; etag: string; served: Served; size: number },
): void {
  reply.code(served.status).headers({
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
  })
  if (served.status === 304) return
  if (served.status === 416) {
    reply.header('Content-Range', `bytes */${size}`)
    return
  }
  reply.header('Content-Type', grant.contentType).header('Content-Length', served.end - served.start)
  if (grant.fileName !== undefined) reply.header('Content-Disposition', contentDisposition(grant.fileName))
  if (served.status === 206) reply.header('Content-Range', `bytes ${served.start}-${served.end - 1}/${size}`)
}

function bytesOf({ path, size }: { path: string; size: number }, { start, end }: { start: number; end: number }) {
  if (end - start === size && size <= bufferedBytes) return readFile(path)
  if (end === start) return Buffer.alloc(0)
  return createReadStream(path, { start, end: end - 1, highWaterMark: streamChunkBytes })
}

async function upload({ storage, secret, clock }: PresignedParts, request: PresignedRequest, reply: FastifyReply) {
  try {
    const { query, headers } = request
    const grant = verifyUpload(secret, { key: request.params['*'], query, headers }, clock.now())
    if (!grant) throw refused()
    requireFits(Number(headers['content-length'] ?? 0), grant.maxBytes)
    const { created } = await storage.receive(grant.key, request.raw, grant)
    if (!created) throw new ApiError('CONFLICT', 'These bytes are stored already.', { status: 412 })
    return reply.header('ETag', etagOf(grant.key)).send()
  } catch (error) {
    letGoBy(request.raw)
    throw error
  }
}
