/** Looks at files, in a process of their own. */
import { OrderProcess } from '../running/order-process.ts'
import type { LookWire, lookOrders } from './look-orders.ts'

type Orders = typeof lookOrders
export type Given<N extends keyof Orders> = Parameters<Orders[N]>[1]
export type Found<N extends keyof Orders> = Awaited<ReturnType<Orders[N]>>

export class LookProcess {
  readonly #wire: LookWire
  readonly #process = new OrderProcess('./look-worker', { from: import.meta.url, what: 'looks at files' })

  constructor({ url, key, folders }: LookWire) {
    this.#wire = { url, key, folders }
  }

  /** Throws as what was ordered throws, and what an aborted signal says. */
  async order<N extends keyof Orders>(
    name: N,
    root: string,
    { given, signal }: { given: Given<N>; signal?: AbortSignal | undefined },
  ): Promise<Found<N>> {
    return (await this.#process.order(name, { wire: this.#wire, root, given }, { signal })) as Found<N>
  }

  close(): void {
    this.#process.close()
  }
}
