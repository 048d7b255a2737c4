/** Loaded into a server that is measured: SIGUSR2 makes it tell the longest stops of its event loop since the last time, on stderr. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on('SIGUSR2', () => {
    const [p50Ms, p99Ms, maxMs] = [delay.percentile(50), delay.percentile(99), delay.max].map((ns) => ns / 1e6)
    process.stderr.write(`loop delay ${JSON.stringify({ p50Ms, p99Ms, maxMs, count: delay.count })}\n`)
    delay.reset()
  })
}
