// The thread that reads large bodies: what the weight of a body promises of its memory, and bodies that nobody waits for any more.
import { spawnSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { BodyReader } from '../../serving/bodies/reader.ts'
import { withJunk } from '../support/large-bodies.ts'

test('reading a body takes no more than twice its weight of the memory, whatever it is made of', () => {
  const scan = new URL('../../serving/bodies/scan.ts', import.meta.url).href
  // In a process of its own, in which nothing else comes or goes. Keys that all differ, and keys that are numbers, cost the most.
  const program = `
    import { JsonScan } from '${scan}'
    const kinds = {
      empty: () => '{}', lists: () => '[[]]', fractions: () => '[1.5]', nested: () => '{"a":{"a":{"a":1}}}',
      different: (n) => '{"k' + n.toString(36) + '":0}', two: (n) => '{"k' + n + '":0,"j' + n + '":1}', texts: (n) => '"' + n.toString(36) + '"',
      wide: (n) => '"ā' + n.toString(36) + '"', places: () => '{"499":0}', far: () => '{"4294967294":0}', numbers: (n) => '{"' + n + '":0}',
    }
    const used = () => (gc(), process.memoryUsage().heapUsed)
    const ratios = Object.entries(kinds).map(([kind, one]) => {
      const text = '[' + Array.from({ length: 100_000 }, (_, n) => one(n)).join() + ']'
      const scan = new JsonScan()
      scan.add(Buffer.from(text))
      const before = used()
      const value = JSON.parse(text)
      return [kind, (used() - before) / scan.weight, value.length]
    })
    process.stdout.write(JSON.stringify(ratios))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  expect(stdout, stderr).not.toBe('')
  const ratios: [string, number, number][] = JSON.parse(stdout)
  expect(ratios.filter(([, ratio]) => ratio > 2)).toEqual([])
  expect(Math.max(...ratios.map(([, ratio]) => ratio)), 'it was measured').toBeGreaterThan(0.5)
})

test('a body that nobody waits for any more is not read to its end, and the next one is read from its beginning', async () => {
  const reader = new BodyReader(256)
  onTestFinished(() => reader.close())
  const taskOf = (body: string) => ({
    method: 'POST',
    path: '/push/commit',
    params: {},
    query: {},
    blocks: [new TextEncoder().encode(body)],
  })
  const leaving = new AbortController()
  const left = reader.read(taskOf(withJunk('"x"', 100_000)), leaving.signal)
  leaving.abort(new Error('gone'))
  const next = reader.read(taskOf(withJunk('1', 3)), new AbortController().signal)
  await expect(left).rejects.toThrow('gone')
  const input = await next
  expect([Object.keys(input), (input.items as unknown[]).length]).toEqual([['items'], 1])
})
