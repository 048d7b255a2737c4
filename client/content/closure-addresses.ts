/** Where the files of a job are to be had: presigned addresses that came with their list, or asked for one by one. */
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import type { Api } from '../http/api.ts'
import type { Addresses } from './fetch.ts'

export class ClosureAddresses implements Addresses {
  readonly #api: Api
  readonly #jobId: number
  #urls: Map<string, string>
  #renewing: Promise<void> | undefined

  constructor(api: Api, jobId: number, objects: readonly PullJobObject[]) {
    this.#api = api
    this.#jobId = jobId
    this.#urls = urlsOf(objects)
  }

  async of(hash: string): Promise<string> {
    return this.#urls.get(hash) ?? (await this.#api.blobs.get({ content_hash: hash })).location
  }

  /** All of them at once; who asks meanwhile waits for the same answer. */
  renew(): Promise<void> {
    this.#renewing ??= this.#ask().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #ask(): Promise<void> {
    if (this.#urls.size > 0) this.#urls = urlsOf((await this.#api.pullJobs.closure({ job_id: this.#jobId, urls: true })).objects)
  }
}

const urlsOf = (objects: readonly PullJobObject[]): Map<string, string> =>
  new Map(objects.flatMap(({ content_hash, url }) => (url ? [[content_hash, url] as const] : [])))
