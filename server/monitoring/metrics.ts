/** What a monitor reads of a running server, as Prometheus text: how long requests take, how the database and the storage do, what waits. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Gauge, Histogram, Registry } from 'prom-client'
import { Refusal } from '../../serving/refusal.ts'
import type { Services } from '../services.ts'
import { MetricsListener } from './metrics-listener.ts'
import { type Counted, readVitals, type Vitals } from './vitals.ts'

/** Methods that routes have; anything else is counted as one. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Seconds; from a request answered out of memory to the upload of a large file. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600]

declare module 'fastify' {
  interface FastifyInstance {
    metrics: MetricsListener
  }
}

/** Before all other hooks, so that requests which these refuse are measured too. Gives what the durations are registered with. */
export function measureRequests(app: FastifyInstance): Registry {
  const registry = new Registry()
  const durations = new Histogram({
    name: 'ph_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, by route, method and class of status; closed: the connection closed before that.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets,
    registers: [registry],
  })
  app.addHook('onRequest', (request, reply, done) => {
    let status = 'closed'
    reply.raw.once('finish', () => {
      status = `${Math.floor(reply.statusCode / 100)}xx`
    })
    reply.raw.once('close', () => {
      if (!isStream(request, reply)) durations.observe({ ...labelsOf(request), status }, reply.elapsedTime / 1000)
    })
    done()
  })
  return registry
}

export function mountMetrics(app: FastifyInstance, services: Services & Counted, registry: Registry): void {
  const show = addGauges(registry)
  const read = async () => {
    show(await readVitals(services))
    return { contentType: registry.contentType, text: await registry.metrics() }
  }
  const listener = new MetricsListener(read)
  app.decorate('metrics', listener)
  app.addHook('onClose', () => listener.close())
  app.get('/metrics', async (_request, reply) => {
    if (!services.settings.metricsPublic) throw notHere()
    const { contentType, text } = await read()
    return reply.type(contentType).send(text)
  })
}

/** Patterns of routes, never addresses: as many series as there are routes. */
const labelsOf = ({ routeOptions, method }: FastifyRequest) => ({
  route: routeOptions.url ?? 'none',
  method: knownMethods.has(method) ? method : 'other',
})

/** It lasts as long as its client wants, which says nothing about the server. */
const isStream = ({ routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  routeOptions.config.route?.answers === 'events' && statusCode < 300

const notHere = () =>
  new Refusal(
    403,
    'Metrics are shown on the machine of the server only, at a port of their own that the log names. Start the server with PH_METRICS=public to show them here, to everyone.',
  )

/** The function it answers puts values into the gauges; what could not be read is left out. */
function addGauges(registry: Registry): (vitals: Vitals) => void {
  const plain = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const gauges: Record<Exclude<keyof Vitals, 'queues'>, Gauge> = {
    isDatabaseUp: plain('ph_database_up', 'Whether the database answers.'),
    databaseAnswerSeconds: plain(
      'ph_database_answer_seconds',
      'How long the database took to answer the statement behind these figures.',
    ),
    databaseBytes: plain('ph_database_size_bytes', 'Size of the database.'),
    isStorageUp: plain('ph_storage_up', 'Whether files can be written.'),
    storedBytes: plain('ph_stored_bytes', 'Bytes of files that all workspaces keep.'),
    looseFiles: plain('ph_loose_files', 'Files that were uploaded and belong to nothing yet, counted to 10,001.'),
    memoryBytes: plain('ph_process_resident_memory_bytes', 'Memory of this process.'),
    cpuSeconds: plain('ph_process_cpu_seconds', 'Time that this process has computed since it started.'),
    rememberedKeys: plain(
      'ph_remembered_keys',
      'Keys that are held in memory, so that requests with them ask the database nothing.',
    ),
    liveStreams: plain('ph_live_streams', 'Streams of changes that are open.'),
    connections: plain('ph_connections', 'Connections that are open.'),
    requestsWaiting: plain(
      'ph_pipelined_requests',
      'Requests that wait until those before them on their connection are answered.',
    ),
    bodies: plain('ph_bodies_under_way', 'Requests whose bodies come in.'),
    answers: plain('ph_downloads_under_way', 'Downloads and exports that are sent.'),
    eventLoopBusy: plain('ph_event_loop_busy_ratio', 'Share of the time since the last look in which the event loop had work.'),
  }
  const queues = new Gauge({
    name: 'ph_queue_depth',
    help: 'What waits, counted to 10,001.',
    labelNames: ['queue'] as const,
    registers: [registry],
  })
  return ({ queues: depths, ...values }) => {
    for (const [name, gauge] of Object.entries(gauges)) {
      const value = values[name as keyof typeof values]
      gauge.reset()
      if (value === undefined) gauge.remove()
      else gauge.set(value)
    }
    queues.reset()
    for (const [queue, depth] of Object.entries(depths)) queues.set({ queue }, depth)
  }
}
