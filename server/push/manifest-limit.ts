/** How many manifests are looked at at once, outside of transactions: each reads thousands of rows, and a commit's as many files. */
import { FairQueue } from '../database/fair-queue.ts'
import { usualWaits } from '../database/waits.ts'
import { busy } from '../database/writers.ts'

const { lockMs: waitMs } = usualWaits
const message = busy('this server', waitMs)

/** By the number of the workspace, so that none keeps the others waiting. */
export const negotiating = new FairQueue<number>({ slots: 4, slotsEach: 3, waitMs, message })
export const inspecting = new FairQueue<number>({ slots: 3, slotsEach: 2, waitMs, message })
