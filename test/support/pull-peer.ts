/** A library that says whatever a test wants of one pull job, and serves its bytes as badly as the test likes. */
import type { ServerResponse } from 'node:http'
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import { answer, type Heard, startPeer } from './peer.ts'
import { sha256 } from './push.ts'

export type Serve = (response: ServerResponse, bytes: Buffer, heard: Heard) => void

export interface PeerFile {
  object: PullJobObject
  bytes: Buffer
}

/** A file of a closure: a mesh at a path, unless `over` says otherwise. */
export function peerFile(path: string, content = path, over: object = {}): PeerFile {
  const bytes = Buffer.from(content)
  const content_hash = sha256(bytes)
  const object = {
    object_id: Number.parseInt(content_hash.slice(0, 8), 16),
    content_hash,
    lineage_id: content_hash.slice(0, 20),
    asset_class: 'StaticMesh',
    asset_name: path.split('/').at(-1) ?? '',
    origin_path: path,
    blob_size: bytes.length,
    engine_version: '5.4.0',
    source_ext: null,
    ...over,
  }
  return { object, bytes }
}

export interface PeerJob {
  root?: string
  /** Gives addresses with the closure, as our server does; without it blobs are asked for one by one. */
  urls?: boolean
  serve?: Serve
  /** Answers instead, where it answers. */
  instead?: (heard: Heard, response: ServerResponse) => boolean
}

export const serveWell: Serve = (response, bytes, { headers }) => {
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
  const range = { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
  response.writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length - start, ...(start > 0 ? range : {}) })
  response.end(bytes.subarray(start))
}

/** What the library says that it has of these bytes. */
function foundOf(files: readonly PeerFile[], hashes: readonly string[]) {
  const found = files.map(({ object }) => object).filter(({ content_hash }) => hashes.includes(content_hash))
  const versions = found.map(({ content_hash, object_id, lineage_id }) => ({ content_hash, object_id, lineage_id }))
  return { cursor: 0, lineages: [], versions }
}

/** One job with these files. `progress` is what was said of it, in order. */
export async function startPullPeer(files: readonly PeerFile[], job: PeerJob = {}) {
  const { root = '/Game', urls = true, serve = serveWell, instead = () => false } = job
  const byHash = new Map(files.map(({ object, bytes }) => [object.content_hash, bytes]))
  const progress: { status: string; failure_reason?: string; report_json?: Record<string, unknown[]> }[] = []
  let renewals = 0
  const detail = {
    id: 1,
    target_project: 'Target',
    target_root: root,
    status: 'queued',
    delivery: 'manual',
    entries: [],
    total_bytes: 0,
    dependencies: 'current',
  }
  const closure = () => ({
    objects: files.map(({ object }) => (urls ? { ...object, url: `/store/${object.content_hash}?n=${renewals++}` } : object)),
  })
  const peer = await startPeer((response, heard) => {
    const { method, url, body } = heard
    if (instead(heard, response)) return
    const path = url.replace('/api/v1', '').split('?')[0] ?? ''
    const [, hash = ''] = /^\/(?:store|blobs)\/([0-9a-f]+)/.exec(path) ?? []
    if (path.startsWith('/store/')) return serve(response, byHash.get(hash) ?? Buffer.alloc(0), heard)
    if (path.startsWith('/blobs/')) return answer(302, '', { location: `/store/${hash}` })(response, heard)
    if (path.endsWith('/projects')) return answer(200, { projects: [] })(response, heard)
    if (path.endsWith('/lineages/find')) return answer(200, foundOf(files, JSON.parse(body).content_hashes))(response, heard)
    if (method === 'PATCH') progress.push(JSON.parse(body))
    if (path.endsWith('/closure')) return answer(200, closure())(response, heard)
    if (path.endsWith('/claim')) return answer(200, { ...detail, claim_token: 'token', warnings: [] })(response, heard)
    if (path.endsWith('/heartbeat')) return answer(200, { job_id: 1, status: 'claimed' })(response, heard)
    return answer(method === 'POST' ? 201 : 200, { ...detail, warnings: [] })(response, heard)
  })
  return { ...peer, key: 'ph_live_peer', progress }
}
