/** A PostgreSQL of a test's own, which may be ended without a word and started again: nobody else is on it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterFile } from './after-file.ts'

const script = fileURLToPath(new URL('../../bin/postgres.sh', import.meta.url))

export interface OwnPostgres {
  url: string
  /** As a power cut does; done when it takes connections again. */
  crash(): Promise<void>
}

/** Ended with all it holds after the test file. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const child = spawn(script, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  afterFile(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('PostgreSQL did not start')
    return value
  }
  return {
    url: await next(),
    async crash() {
      child.kill('SIGUSR1')
      await next()
    },
  }
}
