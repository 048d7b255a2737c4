/** A server on a PostgreSQL of its own, with a wire between them on which a test can stop any statement. Only where there is a PostgreSQL. */
import { afterFile } from './after-file.ts'
import { freshPostgres } from './fresh-postgres.ts'
import { startTestServer, type TestLimits, type TestServer } from './server.ts'
import { readStatements, type StatementWire } from './statement-wire.ts'

export interface WiredServer {
  server: TestServer
  wire: StatementWire
}

/** Stopped and removed after the test file. */
export async function startWiredServer(limits: TestLimits = {}): Promise<WiredServer> {
  const database = await freshPostgres()
  if (!database) throw new Error('there is no PostgreSQL')
  const wire = await readStatements(database.url)
  // What is registered first is done last: the server has stopped by then.
  afterFile(async () => {
    wire.end()
    await database.drop()
  })
  return { server: await startTestServer({ databaseUrl: wire.url }, limits), wire }
}

/** Does `meanwhile` from the moment that `request` is about to send the statement, and lets it go on after that. Gives the answer. */
export async function interrupted<T>(
  wire: StatementWire,
  { request, before, meanwhile }: { request: () => Promise<T>; before: RegExp; meanwhile: () => Promise<void> },
): Promise<T> {
  const stop = wire.stopBefore(before)
  const answer = request()
  try {
    await Promise.race([stop.reached, answer.then(() => Promise.reject(new Error(`no statement like ${before} came`)))])
    await meanwhile()
  } finally {
    stop.goOn()
  }
  return answer
}
