/** Answers the presigned addresses below /storage: reads with ranges, and uploads that are checked while they stream in. */

import type { KeyObject } from 'node:crypto'
import { openSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { drainBody } from '../../serving/unread-body.ts'
import type { Clock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { Database } from '../database/open.ts'
import type { FrontDoor } from '../front-door/enter.ts'
import type { Places } from '../front-door/places.ts'
import { refuseClosed } from '../front-door/states.ts'
import { cutOff } from '../monitoring/log.ts'
import type { Workspace } from '../principal.ts'
import { ingestRefusal } from './counting/stored-bytes.ts'
import { requireFits } from './counting/upload-size.ts'
import { contentDisposition, type Served, servedRange } from './download-headers.ts'
import type { FileStorage } from './fs.ts'
import { type DownloadGrant, storagePath, verifyDownload, verifyUpload } from './presigned.ts'
import { sendFile } from './send-file.ts'
import { readKey, type Storage } from './storage.ts'

export interface UploadParts {
  /** What comes in is counted. */
  storage: Storage
  secret: KeyObject
  clock: Clock
  database: Database
  frontDoor: FrontDoor
  answers: Places
}

export interface PresignedParts extends UploadParts {
  /** The place of `storage`. */
  files: FileStorage
  settings: Pick<Settings, 'accel'>
}

type PresignedRequest = FastifyRequest<{ Params: { '*': string }; Querystring: Record<string, string | string[]> }>

/** One line per file would cost as much as answering it, so these routes log failures only, like any object storage. */
export function mountPresigned(app: FastifyInstance, parts: PresignedParts): void {
  mountUploads(app, parts)
  app.route({
    ...route,
    method: ['GET', 'HEAD'],
    exposeHeadRoute: false,
    handler: (request, reply) => download(parts, request as PresignedRequest, reply),
  })
}

/** Beside a bucket as well: for files whose size was not announced, which no address of a bucket would bound. */
export function mountUploads(app: FastifyInstance, parts: UploadParts): void {
  app.register(async (store) => {
    store.removeAllContentTypeParsers()
    store.addContentTypeParser('*', (_request, _payload, done) => done(null))
    store.route({ ...route, method: 'PUT', handler: (request, reply) => upload(parts, request as PresignedRequest, reply) })
  })
}

const route = { url: `${storagePath}/*`, logLevel: 'warn' } as const

const refused = (): ApiError =>
  new ApiError(
    'FORBIDDEN',
    'This address has expired, was altered, or was used without the headers it came with. Ask for a new one.',
  )

async function download(
  { files, secret, settings, clock, answers }: PresignedParts,
  request: PresignedRequest,
  reply: FastifyReply,
) {
  const grant = verifyDownload(secret, { key: request.params['*'], query: request.query }, clock.now())
  if (!grant) throw refused()
  const file = files.find(grant.key)
  if (!file) throw new ApiError('NOT_FOUND', 'The bytes of this address are no longer kept.')
  if (settings.accel !== undefined)
    return reply.headers({ ...nameHeaders(grant), ...fixedHeaders, 'X-Accel-Redirect': settings.accel + grant.key }).send()
  const etag = etagOf(grant.key)
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers
  const served = servedRange({ range, ifRange: ifRange as string | undefined, ifNoneMatch }, { size: file.size, etag })
  const headers = {
    ...describe(served, file.size),
    ...(served.status === 416 ? {} : nameHeaders(grant)),
    ...fixedHeaders,
    ETag: etag,
  }
  if (served.status === 304 || served.status === 416 || request.method === 'HEAD')
    return reply.code(served.status).headers(headers).send()
  answers.takeForAnswer({ ip: request.ip, workspaceId: readKey(grant.key).workspaceId }, reply.raw)
  const fd = openSync(file.path, 'r')
  reply.hijack()
  reply.raw.writeHead(served.status, headers)
  try {
    await sendFile(fd, served, reply.raw)
  } catch (err) {
    request.log.error({ req: request, res: reply, err }, cutOff)
  }
}

/** Every key names the same bytes for ever: a blob's is its hash, a media file's was never used before. */
const etagOf = (key: string): string => `"${key.slice(key.lastIndexOf('/') + 1)}"`

const fixedHeaders = {
  'Accept-Ranges': 'bytes',
  'Cache-Control': 'private, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
}

const nameHeaders = ({ contentType, fileName }: DownloadGrant): Record<string, string> => ({
  'Content-Type': contentType,
  ...(fileName === undefined ? {} : { 'Content-Disposition': contentDisposition(fileName) }),
})

function describe(served: Served, size: number): Record<string, string> {
  if (served.status === 304) return {}
  if (served.status === 416) return { 'Content-Range': `bytes */${size}` }
  const { start, end } = served
  const length = { 'Content-Length': String(end - start) }
  return served.status === 206 ? { ...length, 'Content-Range': `bytes ${start}-${end - 1}/${size}` } : length
}

async function upload(parts: UploadParts, request: PresignedRequest, reply: FastifyReply) {
  try {
    const { query, headers } = request
    const grant = verifyUpload(parts.secret, { key: request.params['*'], query, headers }, parts.clock.now())
    if (!grant) throw refused()
    requireFits(Number(headers['content-length'] ?? 0), grant.maxBytes)
    const { storageLimitBytes } = await requireTaking(parts, grant.key)
    const { created } = await parts.storage.receive(grant.key, request.raw, { ...grant, isLimited: storageLimitBytes !== null })
    if (!created) throw new ApiError('CONFLICT', 'These bytes are stored already.', { httpStatus: 412 })
    return reply.header('ETag', etagOf(grant.key)).send()
  } catch (error) {
    drainBody(request.raw)
    throw error
  }
}

/** An address is good for a while; what has become of its workspace since decides whether bytes are let in. Those kept already are no new ones. */
async function requireTaking({ storage, database, frontDoor }: UploadParts, key: string): Promise<Workspace> {
  const workspace = await frontDoor.workspaceById(readKey(key).workspaceId)
  if (!workspace) throw refused()
  refuseClosed(workspace)
  const refusal = await ingestRefusal(database.sql, workspace)
  if (refusal && (await storage.sizes([key]))[0] === undefined) throw refusal
  return workspace
}
