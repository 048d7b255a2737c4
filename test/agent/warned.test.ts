/** No file is warned of more than once an hour, also when the agent was started anew in between. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Warned } from '../../agent/watching/warned.ts'
import { personAt } from '../support/person.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { agentOf, until } from '../support/watched-agent.ts'

const server = await startTestServer()
const log = pino({ level: 'silent' })
const minuteMs = 60_000

function warnedIn(dir: string): Warned {
  const warned = new Warned({ dir, log })
  onTestFinished(() => warned.close())
  return warned
}
const rowsIn = (dir: string) => {
  const db = new Database(join(dir, 'warned.sqlite'), { readonly: true })
  onTestFinished(() => void db.close())
  return db.prepare<[], string>('select path from warned order by path').pluck().all()
}

test('a file that was warned of is not warned of again after a restart of the agent; another one is', async () => {
  const { url, keys } = await server.addWorkspace()
  const [mia, max] = [personAt(url, keys.mia), personAt(url, keys.max)]
  await mia.save('SM_Stool', 'one')
  await mia.save('SM_Barrel', 'one')
  await mia.ok('push Content')
  await max.ok('checkout SM_Stool SM_Barrel')
  const first = await agentOf(mia)
  await until(async () => expect(await first.row('SM_Stool')).toBeDefined())
  await mia.save('SM_Stool', 'two')
  await until(() => expect(first.of('warning')).toHaveLength(1))
  await first.agent.stop()
  const second = await agentOf(mia)
  await until(async () => expect(await second.row('SM_Barrel')).toBeDefined())
  await mia.save('SM_Stool', 'three')
  await mia.save('SM_Barrel', 'two')
  await until(() => expect(second.of('warning')).toMatchObject([{ file: 'Content/Inn/SM_Barrel.uasset' }]))
})

test('after an hour it is warned of again, and what is older is forgotten, on the disk too', () => {
  const dir = temporaryFolder()
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  try {
    const warned = warnedIn(dir)
    expect(warned.take(['/a', '/b', '/a'])).toEqual(['/a', '/b'])
    vi.setSystemTime(Date.now() + 50 * minuteMs)
    expect(warnedIn(dir).take(['/a', '/c'])).toEqual(['/c'])
    vi.setSystemTime(Date.now() + 11 * minuteMs)
    expect(warnedIn(dir).take(['/a', '/c'])).toEqual(['/a'])
    expect(rowsIn(dir)).toEqual(['/a', '/c'])
  } finally {
    vi.useRealTimers()
  }
})

test('a clock that was set back keeps nobody quiet for longer than an hour of work', () => {
  const dir = temporaryFolder()
  warnedIn(dir).take(['/a'])
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  try {
    vi.setSystemTime(Date.now() - 24 * 60 * minuteMs)
    const warned = warnedIn(dir)
    expect(warned.take(['/a'])).toEqual([])
    vi.advanceTimersByTime(61 * minuteMs)
    expect(warned.take(['/a'])).toEqual(['/a'])
  } finally {
    vi.useRealTimers()
  }
})

test('it is bounded, and where its file is damaged or cannot be written people are warned all the same', () => {
  const dir = temporaryFolder()
  const many = Array.from({ length: 10_500 }, (_, at) => `/many/${at}`)
  expect(warnedIn(dir).take(many)).toHaveLength(many.length)
  expect(rowsIn(dir)).toHaveLength(10_000)
  const damaged = temporaryFolder({ 'warned.sqlite': 'nonsense '.repeat(1000) })
  expect(warnedIn(damaged).take(['/a'])).toEqual(['/a'])
  const gone = temporaryFolder()
  const warned = new Warned({ dir: gone, log })
  warned.close()
  expect(warned.take(['/a'])).toEqual(['/a'])
  expect(warned.take(['/a'])).toEqual([])
})
