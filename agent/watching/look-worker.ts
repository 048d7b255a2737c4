/** The process that looks at files. See look-process.ts. */
import { type OrderAround, serveOrders } from '../running/order-worker.ts'
import { type LookWire, lookOrders } from './look-orders.ts'

type Order = (place: object, given: unknown) => Promise<unknown>
type Sent = { wire: LookWire; root: string; given: unknown }

const orders = Object.entries(lookOrders).map(([name, order]) => [
  name,
  ({ wire, root, given }: Sent, { signal }: OrderAround) => (order as Order)({ wire, root, signal }, given),
])
serveOrders(Object.fromEntries(orders))
