/** Parts of the agent beside each other: what fails is run again after growing pauses, and takes nobody with it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Part, Supervisor } from '../../agent/running/supervisor.ts'

const patience = { firstMs: 20, mostMs: 160, steadyMs: 60_000 }

function supervisor(parts: readonly Part[], steadyMs = patience.steadyMs) {
  const failures: { name: string; inMs: number }[] = []
  const made = new Supervisor(
    { began: () => {}, failed: ({ name }, _error, { inMs }) => failures.push({ name, inMs }) },
    { ...patience, steadyMs },
  )
  made.start(parts)
  onTestFinished(async () => void (await made.stop(200)))
  return { made, failures }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

const steady = (name: Part['name'], runs: string[] = []): Part => ({
  name,
  canPause: name !== 'sessions',
  async run(signal, say) {
    runs.push(name)
    say('at work')
    await untilAborted(signal)
  },
})

test('a part that fails is run again after pauses that grow up to a limit, and says why and when; the others run on', async () => {
  let runs = 0
  const broken: Part = {
    name: 'mirror',
    canPause: true,
    async run() {
      runs++
      throw new Error(`no luck ${runs}`)
    },
  }
  const others: string[] = []
  const { made, failures } = supervisor([broken, steady('imports', others)])
  await expect.poll(() => failures.length).toBeGreaterThan(5)
  const pauses = failures.map(({ inMs }) => inMs)
  expect(
    pauses.slice(0, 5).every((ms, at) => ms >= 0.8 * 20 * 2 ** Math.min(at, 3) && ms <= 1.2 * 20 * 2 ** Math.min(at, 3)),
  ).toBe(true)
  expect(others).toEqual(['imports'])
  const [mirror, imports] = made.reports()
  expect(mirror).toMatchObject({ name: 'mirror', state: 'waiting', message: expect.stringMatching(/^no luck/) })
  expect(mirror?.next_try_at).not.toBeNull()
  expect(imports).toMatchObject({ name: 'imports', state: 'running', message: 'at work', failures: 0 })
})

test('what failed counts until the part has run for a while again', async () => {
  const failures: (number | undefined)[] = []
  const recovers: Part = {
    name: 'live',
    canPause: true,
    async run(signal) {
      await Promise.resolve()
      if (failures.push(made.reports()[0]?.failures) < 3) throw new Error('no luck')
      await untilAborted(signal)
    },
  }
  const { made } = supervisor([recovers], 500)
  await expect.poll(() => failures).toEqual([0, 1, 2])
  await expect.poll(() => made.reports()[0]).toMatchObject({ state: 'running', failures: 0 })
})

test('a part that ends by itself is run again like one that failed', async () => {
  let runs = 0
  const { failures } = supervisor([{ name: 'watching', canPause: true, run: async () => void runs++ }])
  await expect.poll(() => runs).toBeGreaterThan(2)
  expect(failures.length).toBeGreaterThan(1)
})

test('a pause ends parts until someone resumes or its time is over; those that cannot pause run on', async () => {
  const runs: string[] = []
  const { made } = supervisor([steady('mirror', runs), steady('sessions', runs)])
  made.pause(undefined)
  await expect.poll(() => made.reports().map(({ state }) => state)).toEqual(['paused', 'running'])
  made.resume()
  await expect.poll(() => made.reports().map(({ state }) => state)).toEqual(['running', 'running'])
  made.pause(new Date(Date.now() + 100))
  await expect.poll(() => made.reports()[0]?.state).toBe('paused')
  await expect.poll(() => made.reports()[0]?.state).toBe('running')
  expect(runs).toEqual(['mirror', 'sessions', 'mirror', 'mirror'])
})

test('who resumes does not wait for the pause after a failure', async () => {
  let runs = 0
  const failing: Part = {
    name: 'mirror',
    canPause: true,
    async run() {
      if (++runs < 3) throw new Error('not yet')
      await sleep(0)
    },
  }
  const slow = new Supervisor({ began: () => {}, failed: () => {} }, { firstMs: 60_000, mostMs: 60_000, steadyMs: 60_000 })
  slow.start([failing])
  onTestFinished(async () => void (await slow.stop()))
  await expect.poll(() => slow.reports()[0]?.state).toBe('waiting')
  slow.resume()
  await expect.poll(() => runs).toBe(2)
})

test('when the server is there again, what waits is tried at once, and what was paused stays so', async () => {
  let runs = 0
  const failing: Part = {
    name: 'live',
    canPause: false,
    async run() {
      runs++
      throw new Error('away')
    },
  }
  const slow = new Supervisor({ began: () => {}, failed: () => {} }, { firstMs: 60_000, mostMs: 60_000, steadyMs: 60_000 })
  slow.start([failing, steady('mirror')])
  onTestFinished(async () => void (await slow.stop()))
  slow.pause(undefined)
  await expect.poll(() => slow.reports().map(({ state }) => state)).toEqual(['waiting', 'paused'])
  slow.retryNow()
  await expect.poll(() => runs).toBe(2)
  expect(slow.reports()[1]?.state).toBe('paused')
})

test('a part that does not end is named, and holds up the end of the others for no longer than it may', async () => {
  const { made } = supervisor([steady('mirror'), { name: 'imports', canPause: true, run: () => new Promise(() => {}) }])
  expect(await made.stop(200)).toEqual(['imports'])
  expect(made.reports().map(({ state }) => state)).toEqual(['stopped', 'running'])
})

test('stopping waits until every part has ended', async () => {
  let isDone = false
  const { made } = supervisor([
    {
      name: 'imports',
      canPause: true,
      async run(signal) {
        await untilAborted(signal)
        await sleep(100)
        isDone = true
      },
    },
  ])
  await made.stop()
  expect(isDone).toBe(true)
})
