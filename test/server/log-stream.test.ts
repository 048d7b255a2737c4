// The log of a server that ends: what was answered stands in it, whether it was asked to end or nobody caught a failure.
import { spawnSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { newKey } from '../support/server.ts'
import { type Ending, startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const failure = 'a failure that nobody caught'

/** How often each request of a server stands in its log. */
const timesLogged = ({ stderr }: Ending) => {
  const ids = stderr.split('\n').flatMap((line) => /^\{.*"reqId":"([\w-]+)".*"msg":"answered"\}$/.exec(line)?.[1] ?? [])
  return { lines: ids.length, requests: new Set(ids).size }
}

test.each(['stop', 'fail'] as const)(
  'every request that was answered is logged once and whole, when the server ends at once by %s',
  async (how) => {
    const server = await startServerProcess(['--data', temporaryFolder()])
    onTestFinished(async () => {
      await server.kill()
    })
    const nobody = callAs(server.url, newKey())
    await Promise.all(Array.from({ length: 299 }, () => nobody.get('/auth/me')))
    if (how === 'fail') await server.failBehindNextAnswer()
    await nobody.get('/auth/me')
    const ending = await (how === 'fail' ? server.ended : server.stop())
    expect(ending.code).toBe(how === 'stop' ? 0 : 1)
    expect(timesLogged(ending)).toEqual({ lines: 300, requests: 300 })
    expect(ending.stderr.includes(failure)).toBe(how === 'fail')
  },
)

test('what the system is writing at that moment arrives too', () => {
  const stream = new URL('../../server/monitoring/log-stream.ts', import.meta.url).href
  // Timers of one length run one after the other: the first line is handed over, then the process fails.
  const program = `
    import { LogStream } from '${stream}'
    const log = new LogStream(2)
    log.write('one '.repeat(10_000) + 'end of the first line\\n')
    setTimeout(() => { log.write('the second line\\n'); throw new Error('${failure}') }, 10)`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain(`${'one '.repeat(10_000)}end of the first line\n`)
  expect(stderr).toContain('the second line\n')
  expect(stderr).toContain(failure)
})
