/** Requests that the server makes of itself, for someone whom the front door has let in and counted already. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Holder } from '../principal.ts'

/** Who asks, for as long as such a request is under way; nothing that comes over the network runs in it. */
export const within = new AsyncLocalStorage<Holder>()
