/**
 * The calls that a push makes, typed by the contract but without loading its schemas: that takes longer than a push of few
 * files. A test holds each against the contract.
 */
import type { ChangeRecord } from '../../contract/changes.ts'
import type { Lineage } from '../../contract/lineages.ts'
import type { PresignedTarget } from '../../contract/media.ts'
import type { CommitAnswer, Manifest, NegotiateAnswer } from '../../contract/push.ts'
import type { Bytes } from './body.ts'
import type { ApiRequest, Http } from './http.ts'

export interface ChangesAnswer {
  changes: ChangeRecord[]
  next_cursor: number
  reset: boolean
}

export interface MediaTarget {
  entry_id: number
  object_id: number
  kind: 'thumbnail'
}

export interface PushCalls {
  limits(): Promise<{ max_items: number; max_packs: number; max_dependencies_per_item: number }>
  negotiate(manifest: Manifest): Promise<NegotiateAnswer>
  commit(manifest: Manifest): Promise<CommitAnswer>
  putBlob(hash: string, bytes: Bytes): Promise<unknown>
  presign(items: MediaTarget[]): Promise<{ targets?: PresignedTarget[] }>
  finalize(items: (MediaTarget & { artifact_id: number })[]): Promise<unknown>
  putThumbnail(target: MediaTarget, bytes: Bytes): Promise<unknown>
  changes(cursor: number, limit: number): Promise<ChangesAnswer>
  exportLines(): AsyncGenerator<unknown>
  lineage(id: string): Promise<Lineage>
}

/** The calls over one connection. */
export function pushCalls(http: Http, signal?: AbortSignal): PushCalls {
  const get = (path: string, query?: Record<string, string>): ApiRequest => ({
    method: 'GET',
    path,
    query: new URLSearchParams(query),
    signal,
  })
  const post = (path: string, json: unknown): ApiRequest => ({ method: 'POST', path, json, idempotent: true, signal })
  const put = (path: string, bytes: Bytes, rest: Partial<ApiRequest> = {}): ApiRequest => ({
    method: 'PUT',
    path,
    bytes,
    signal,
    ...rest,
  })
  const answer = <T>(request: ApiRequest) => http.json(request) as Promise<T>
  return {
    limits: () => answer(get('/push/limits')),
    negotiate: (manifest) => answer(post('/push/negotiate', manifest)),
    commit: (manifest) => answer(post('/push/commit', manifest)),
    putBlob: (hash, bytes) => answer(put(`/blobs/${hash}`, bytes)),
    presign: (items) => answer(post('/entries/media/presign', { items })),
    finalize: (items) => answer(post('/entries/media/finalize', { items })),
    putThumbnail: ({ entry_id, object_id }, bytes) => {
      const query = new URLSearchParams({ object_id: String(object_id) })
      return answer(put(`/entries/${entry_id}/thumbnail`, bytes, { query, contentType: 'image/png' }))
    },
    changes: (cursor, limit) => answer(get('/catalog/changes', { cursor: String(cursor), limit: String(limit) })),
    exportLines: () => http.lines(get('/catalog/export')),
    lineage: (id) => answer(get(`/lineages/${encodeURIComponent(id)}`)),
  }
}
