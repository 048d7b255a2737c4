/** `ph login` waits for a person while its server is killed and started anew, before and after they approve: it goes on. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { signedInBrowser } from '../support/page-browser.ts'
import { phProcess, startPhProcess } from '../support/ph-process.ts'
import { startServerLives } from '../support/server-lives.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    await sleep(50)
  }
}

test('a sign-in that was begun with one server is approved with the next, and its key collected from a third', async () => {
  const lives = await startServerLives(1)
  const { origin, pathname: base, href: url } = new URL(lives.libraries[0]?.url ?? expect.fail('there is no library'))
  const olivia = { email: 'olivia@library-0.test', password: 'correct horse olivia' }
  const setPassword = ['server', 'user', 'password', olivia.email, '--data', lives.dataDir]
  expect(await phProcess(setPassword, { stdin: olivia.password })).toMatchObject({ code: 0 })
  const env = { PH_CONFIG_DIR: temporaryFolder() }
  const login = startPhProcess(['login', '--url', url, '--no-browser', '--insecure-storage'], { env })
  const code = await until(() => /code=([A-Z]{4}-[A-Z]{4})/.exec(login.said())?.[1])
  await lives.current().kill()
  await until(() => /Trying again/.exec(login.said())?.[0])
  await lives.start()
  const browser = await signedInBrowser(origin, base, olivia)
  const page = await browser.open(`${base}/device?code=${code}`)
  await lives.current().kill()
  await lives.start()
  // It asks on its own time: standing still, it cannot collect the key before the third server is there.
  login.signal('SIGSTOP')
  const decided = await browser.send(page, `${base}/device`, { button: 'Approve' })
  expect([decided.status, decided.title]).toEqual([200, expect.stringContaining('Approved')])
  await lives.current().kill()
  await lives.start()
  login.signal('SIGCONT')
  expect(await login.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('as olivia') })
  const whoami = await phProcess(['whoami'], { env })
  expect(whoami).toMatchObject({ code: 0, stdout: expect.stringContaining(`olivia (${olivia.email}), owner`) })
})
