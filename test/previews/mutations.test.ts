/** Changed files through every reader of source data and all that is made of them: bench/mutations.ts, as much of it as a suite has time for. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { mutationCorpus, type Subject } from '../support/mutation-corpus.ts'
import { MutationRuns } from '../support/mutation-runs.ts'
import { mutated } from '../support/mutations.ts'

const maxBytes = 20_000
const subjects = await mutationCorpus(maxBytes)
const names = [...new Set(subjects.map(({ reader }) => reader))]

test('files of every format are among those that are changed', () => {
  const formats = ['png', 'jpg', 'tga', 'wav', 'fbx', 'gltf', 'glb', 'obj', 'kraken', 'raw mesh', 'old mesh', 'new mesh']
  expect(names).toEqual(expect.arrayContaining(['Texture2D', 'SoundWave', 'StaticMesh', 'SkeletalMesh', ...formats]))
  for (const { reader, places } of subjects.filter(({ bytes }) => bytes[0] === 0xc1))
    expect([reader, places.length > 50]).toEqual([reader, true])
})

test('a file changed by a seed and a number is the same each time, and another than by the next number', () => {
  const [subject] = subjects as [Subject]
  const changed = Array.from({ length: 20 }, (_, number) => mutated(subject, subject.bytes, `a ${number}`).toString('latin1'))
  expect(Array.from({ length: 20 }, (_, number) => mutated(subject, subject.bytes, `a ${number}`).toString('latin1'))).toEqual(
    changed,
  )
  expect(new Set(changed).size).toBeGreaterThan(15)
})

// In a process of its own: what other tests of this one left to the collector and the compiler is not what a file costs.
test('every changed file becomes a GLB, PNG or WAV, or is refused with a FormatError', async () => {
  const bench = fileURLToPath(new URL('../../bench/mutations.ts', import.meta.url))
  const args = ['--expose-gc', bench, '--runs', '3000', '--seed', 'suite', '--max-bytes', String(maxBytes)]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args).catch((error) => error)
  expect(stderr).not.toContain('again: ')
  expect(stdout).toMatch(/^3000 runs, [\s\S]*\n0 faults\n$/)
  const rows = stdout.split('\n').map((line: string) => line.split('|').map((cell) => cell.trim()))
  for (const name of names) {
    const [, , , converted = '', refused = ''] = rows.find(([, reader]: string[]) => reader === name) ?? []
    const outcomes = [converted, refused].flatMap((list) => list.split(', ')).filter(Boolean)
    expect([name, outcomes.length >= 2]).toEqual([name, true])
  }
})

test('what is no FormatError is a fault, and says which run it was', async () => {
  const [subject] = subjects as [Subject]
  const broken = { ...subject, read: async () => Promise.reject(new TypeError('undefined is not iterable')) }
  const runs = new MutationRuns([broken], 'suite')
  await runs.run(7)
  expect(runs.faults).toMatchObject([{ index: 7, reader: subject.reader, problem: expect.stringContaining('TypeError') }])
})
