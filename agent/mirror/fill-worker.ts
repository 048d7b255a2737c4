/** The process that fills a new mirror. See fill-process.ts. */
import { createApi } from '../../client/http/api.ts'
import { openWire } from '../../client/http/open-http.ts'
import { fillMirror } from '../../client/mirror/load/load.ts'
import { openMirror } from '../../client/mirror/mirror.ts'
import { type OrderAround, serveOrders } from '../running/order-worker.ts'
import type { FillWire } from './fill-process.ts'

serveOrders({
  async fill({ url, key, folders }: FillWire, { signal, tell }: OrderAround): Promise<number> {
    const http = openWire({ url, key, folders, signal }, () => {})
    try {
      return await fillMirror(openMirror(folders, url), createApi(http), { signal, tell })
    } finally {
      await http.close('destroy')
    }
  },
})
