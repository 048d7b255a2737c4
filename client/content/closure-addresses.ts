/** Where the files of some jobs are to be had: presigned addresses that came with their list, or asked for one by one. */
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import type { Api } from '../http/api.ts'
import type { Addresses } from './fetch.ts'

export class ClosureAddresses implements Addresses {
  readonly #api: Api
  readonly #jobIds: readonly number[]
  #urls: Map<string, string>
  #renewing: Promise<void> | undefined

  constructor(api: Api, jobIds: readonly number[], objects: readonly PullJobObject[]) {
    this.#api = api
    this.#jobIds = jobIds
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
    if (this.#urls.size === 0) return
    const lists = this.#jobIds.map((job_id) => this.#api.pullJobs.closure({ job_id, urls: true }))
    this.#urls = urlsOf((await Promise.all(lists)).flatMap(({ objects }) => objects))
  }
}

const urlsOf = (objects: readonly PullJobObject[]): Map<string, string> =>
  new Map(objects.flatMap(({ content_hash, url }) => (url ? [[content_hash, url] as const] : [])))
