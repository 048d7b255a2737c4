// Packages that lie: any bytes give facts or a FormatError, in time and memory that the bytes at hand bound.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import { ImportTable } from '../../formats/uasset/imports.ts'
import { NameTable } from '../../formats/uasset/names.ts'
import { PackageReader } from '../../formats/uasset/reader.ts'
import { headerSize, type PackageFacts, readPackage } from '../../formats/uasset/uasset.ts'
import { writePackage } from '../../sample/package.ts'
import type { PackageSpec } from '../../sample/package-plan.ts'
import { patched, summaryOf } from '../support/package-patches.ts'
import { realPackages } from '../support/real-packages.ts'

const spec: PackageSpec = {
  packageName: '/Game/Props/BP_樽_2',
  assetClass: 'Blueprint',
  imports: ['/Game/Materials/M_Oak', '/Engine/BasicShapes/Cube'],
  softReferences: ['/Game/Sound/SC_Knock_12', '/Game/Props/BP_樽_2'],
  tags: { GeneratedClass: "BlueprintGeneratedClass'/Game/Props/BP_樽_2.BP_樽_C'", IsDataOnly: 'False' },
  payload: Buffer.alloc(16),
}
/** One package for each layout that differs, and real old ones where there are any. */
const corpus: [string, Buffer][] = []
for (const engine of ['4.22.3', '4.25.4', '4.27.2', '5.0.3', '5.1.1', '5.3.2', '5.5.4', '5.7.4']) {
  corpus.push([engine, await writePackage({ ...spec, engine })])
}
corpus.push(['big-endian', await writePackage({ ...spec, bigEndian: true })])
corpus.push(['cooked', await writePackage({ ...spec, engine: '4.27.2', cooked: 'unversioned' })])
corpus.push(['cooked 5.x', await writePackage({ ...spec, engine: '5.4.4', cooked: 'unversioned' })])
corpus.push(['redirector', await writePackage({ ...spec, assetClass: 'ObjectRedirector' })])
const ancient = realPackages().filter(({ bytes, expected }) => (expected.file_versions?.ue4 ?? 999) < 511 && bytes.length < 4000)
for (const { path, bytes } of ancient.slice(0, 3)) corpus.push([path, Buffer.from(bytes)])

/** What lies may cost: the text of all facts, in characters. Numbered names are made up of 8 Mi at most, the rest is in the file. */
const textBudget = (size: number) => 8 * 1024 * 1024 + 16 * size + 4096

/** Facts or the FormatError; anything else that escapes fails the test. */
function outcome(bytes: Uint8Array): PackageFacts | FormatError {
  try {
    headerSize(bytes)
    const facts = readPackage(bytes, { stem: 'BP_樽_2', fileSize: bytes.length })
    const text = JSON.stringify({ ...facts, tags: [...facts.tags] })
    expect(text.length).toBeLessThan(textBudget(bytes.length))
    expect(text.includes('\\u0000')).toBe(false) // databases take no NUL
    return facts
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
}

describe.each(corpus)('%s', (_, bytes) => {
  const size = headerSize(bytes)

  test('is whole to begin with', () => {
    expect(outcome(bytes)).toMatchObject({ complete: true, assetClass: expect.stringMatching(/^\w+$/) })
  })

  test('cut anywhere in its header is refused, or called unknown when it has no versions', () => {
    for (let length = 0; length < size; length++) {
      const cut = outcome(bytes.subarray(0, length))
      if (cut instanceof FormatError) expect([length, cut.reason]).toEqual([length, length < 4 ? 'not-this-format' : 'truncated'])
      else expect([length, cut.complete, cut.cooked]).toEqual([length, false, true])
    }
  })

  test('with any 32-bit field at an extreme never breaks the reader', () => {
    for (const extreme of [0x7fffffff, -0x80000000, -1, 0x00ffffff]) {
      for (let at = 0; at + 4 <= size; at++) outcome(patched(bytes, [at, extreme]))
    }
  })

  test('with bits of it changed at random never breaks the reader', () => {
    const change = fc.tuple(fc.nat(size - 1), fc.nat(255))
    const property = fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      const copy = Buffer.from(bytes)
      for (const [at, value] of changes) copy[at] = value
      outcome(copy)
    })
    fc.assert(property, { seed: 7, numRuns: 1000 })
  })

  test('with noise behind its versions never breaks the reader', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 600 }), fc.integer({ min: 4, max: 48 }), (noise, kept) => {
      outcome(Buffer.concat([bytes.subarray(0, kept), noise]))
    })
    fc.assert(property, { seed: 11, numRuns: 1000 })
  })
})

test('any bytes at all give facts or a FormatError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void outcome(bytes)),
    { seed: 13, numRuns: 3000 },
  )
})

test('a small table cannot spell out endless text: numbered names end at a budget', async () => {
  const long = `/Game/${'x'.repeat(1000)}`
  const softReferences = [long, ...Array.from({ length: 20_000 }, (_, i) => `/Game/S_${i}`)]
  const bytes = await writePackage({ ...spec, softReferences })
  expect(outcome(bytes)).toMatchObject({ complete: true })
  const { count, offset } = summaryOf(bytes).softPackageReferences
  const entry = bytes.readInt32LE(offset)
  const all = Array.from({ length: count }, (_, i) => [offset + 8 * i, entry] as [number, number])
  expect(outcome(patched(bytes, ...all))).toMatchObject({ reason: 'too-large' })
})

test('a name longer than engines allow is damage', async () => {
  const bytes = await writePackage({ ...spec, softReferences: [`/Game/${'x'.repeat(1100)}`] })
  expect(outcome(bytes)).toMatchObject({ reason: 'damaged' })
})

class CountingReader extends PackageReader {
  reads = 0
  override i32(): number {
    this.reads++
    return super.i32()
  }
}

test.each(['a chain', 'a circle'])('outers that form %s are walked once each, however many there are', async (form) => {
  const needed = 3000
  const whole = await writePackage({ ...spec, imports: Array.from({ length: needed }, (_, i) => `/Game/M_${i}`) })
  const { imports } = summaryOf(whole)
  const entryBytes = 40
  const last = form === 'a circle' ? -1 : 0
  const outers = Array.from({ length: imports.count }, (_, i): [number, number] => [
    imports.offset + i * entryBytes + 16,
    i === imports.count - 1 ? last : -(i + 2),
  ])
  const bytes = patched(whole, ...outers)
  expect(outcome(bytes)).toMatchObject({ complete: true })

  const reader = new CountingReader(bytes, { what: 'package' })
  const table = new ImportTable(reader, new NameTable(reader, summaryOf(bytes)), summaryOf(bytes))
  reader.reads = 0
  table.editorOnlyPackages(() => false)
  expect(reader.reads).toBeLessThan(12 * imports.count)
})

test('more registry tags or references than any asset has are refused, not collected', async () => {
  const tags = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`Tag${i}`, '']))
  expect(outcome(await writePackage({ ...spec, tags }))).toMatchObject({ reason: 'too-large' })
  const softReferences = Array.from({ length: 100_001 }, (_, i) => `/Game/S_${i}`)
  expect(outcome(await writePackage({ ...spec, softReferences }))).toMatchObject({ reason: 'too-large' })
})

test('a file that is shorter than any summary is truncated, whatever versions its first bytes name', () => {
  for (const tag of [
    [0xc1, 0x83, 0x2a, 0x9e],
    [0x9e, 0x2a, 0x83, 0xc1],
  ])
    for (const legacy of [7, -9, -40]) {
      const bytes = Buffer.alloc(40)
      bytes.set(tag)
      bytes.writeInt32LE(legacy, 4)
      expect(() => headerSize(bytes)).toThrow(expect.objectContaining({ reason: 'truncated' }))
    }
})
