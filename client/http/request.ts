/** What is asked: a call of the API, which carries the key, and bytes at a presigned address, which never does. */
import type { Dispatcher } from 'undici'
import type { Bytes } from './body.ts'

export interface ApiRequest {
  method: Dispatcher.HttpMethod
  /** Below `/api/v1`. */
  path: string
  query?: URLSearchParams
  json?: unknown
  bytes?: Bytes
  contentType?: string
  /** The larger one of the two request budgets of a key (spec 8), where the call is counted against it. */
  budget?: 'push'
  /** Repeating it does no harm; the default is what the method promises (RFC 9110 9.2.2). */
  idempotent?: boolean
  signal?: AbortSignal
}

export interface StoredRequest {
  /** Absolute, or relative to the workspace's address. */
  url: string
  method?: 'GET' | 'PUT'
  /** Sent exactly as given. */
  headers?: Record<string, string>
  bytes?: Bytes
  /** Statuses that are answers, not failures, beside the 2xx. */
  accept?: readonly number[]
  signal?: AbortSignal
}

/** Either of them, as it is sent. */
export interface Exchange {
  url: URL
  /** What a 429 to it is about; requests about the same wait together. */
  budget: 'general' | 'push' | 'storage'
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  bytes?: Bytes
  idempotent: boolean
  signal?: AbortSignal
  accept?: readonly number[]
}
