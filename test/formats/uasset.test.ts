// What the header reader says of packages of every kind, and of those it cannot or should not read.
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { headerSize, isPackage, readPackage } from '../../formats/uasset/uasset.ts'
import { writePackage } from '../../sample/package.ts'
import type { PackageSpec } from '../../sample/package-plan.ts'
import { fieldAt, patched, summaryOf } from '../support/package-patches.ts'

const barrel: PackageSpec = {
  packageName: '/Game/Props/SM_Barrel',
  assetClass: 'StaticMesh',
  imports: ['/Game/Materials/M_Oak', '/Engine/BasicShapes/Cube'],
  softReferences: ['/Game/Sound/SC_Knock'],
  tags: { Triangles: '480' },
}
const read = (bytes: Uint8Array, stem = 'SM_Barrel') => readPackage(bytes, { stem, fileSize: bytes.length })
const reason = (expected: string) => expect.objectContaining({ name: 'FormatError', reason: expected })
const versionsAt = { legacy: 4, ue4: 12, ue5: 16, licensee: 20 }

describe('what is no package', () => {
  test('is told apart by its first four bytes', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from([0xc1, 0x83, 0x2a]), Buffer.from('just some text')]) {
      expect(isPackage(bytes)).toBe(false)
      expect(() => read(bytes)).toThrow(reason('not-this-format'))
      expect(() => headerSize(bytes)).toThrow(reason('not-this-format'))
    }
    expect(isPackage(await writePackage(barrel))).toBe(true)
    expect(isPackage(await writePackage({ ...barrel, bigEndian: true }))).toBe(true)
  })

  test('but a Git LFS pointer says what to do about it', () => {
    const pointer = Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n')
    expect(() => read(pointer)).toThrow(reason('git-lfs-pointer'))
    expect(() => headerSize(pointer)).toThrow(/git lfs pull/)
  })
})

describe('the header', () => {
  test('is all that is read: the same facts come from it alone and from the whole file', async () => {
    const bytes = await writePackage({ ...barrel, payload: Buffer.alloc(90_000, 7) })
    const size = headerSize(bytes.subarray(0, 700))
    expect(size).toBe(summaryOf(bytes).headerSize)
    expect(readPackage(bytes.subarray(0, size), { stem: 'SM_Barrel', fileSize: bytes.length })).toEqual(read(bytes))
  })

  test('says the same in either byte order', async () => {
    for (const engine of ['4.22.3', '4.27.2', '5.0.3', '5.4.4', '5.7.4']) {
      const [little, big] = [
        await writePackage({ ...barrel, engine }),
        await writePackage({ ...barrel, engine, bigEndian: true }),
      ]
      expect(read(big)).toEqual(read(little))
      expect(headerSize(big)).toBe(headerSize(little))
    }
  })

  test('that ends after its file is cut off', async () => {
    const bytes = await writePackage(barrel)
    const size = headerSize(bytes)
    const cut = bytes.subarray(0, size - 1)
    expect(() => read(cut)).toThrow(reason('truncated'))
    expect(() => readPackage(cut, { stem: 'SM_Barrel', fileSize: bytes.length })).toThrow(reason('truncated'))
    expect(() => readPackage(bytes.subarray(0, 60), { stem: 'SM_Barrel', fileSize: 60 })).toThrow(reason('truncated'))
  })

  test('of an absurd length is refused without being looked for', async () => {
    const bytes = await writePackage(barrel)
    const at = fieldAt(bytes, headerSize(bytes))
    expect(() => headerSize(patched(bytes, [at, 0x7fffffff]))).toThrow(reason('too-large'))
    const huge = { stem: 'SM_Barrel', fileSize: 2 ** 32 }
    expect(() => readPackage(patched(bytes, [at, 0x7fffffff]), huge)).toThrow(reason('too-large'))
    expect(() => read(patched(bytes, [at, 0x7fffffff]))).toThrow(reason('truncated'))
    for (const value of [0, -1, 20]) expect(() => headerSize(patched(bytes, [at, value]))).toThrow(reason('damaged'))
  })
})

describe('versions', () => {
  test('of Unreal Engine 3 and of unknown future layouts are unsupported, not damaged', async () => {
    const bytes = await writePackage({ ...barrel, engine: '5.7.4' })
    for (const legacy of [0, 864, -10])
      expect(() => read(patched(bytes, [versionsAt.legacy, legacy]))).toThrow(reason('unsupported'))
    expect(() => read(patched(bytes, [versionsAt.ue4, 213]))).toThrow(reason('unsupported'))
  })

  test('newer than known are read, with a warning, while the header still adds up', async () => {
    const bytes = await writePackage({ ...barrel, engine: '5.7.4' })
    const { warnings, ...facts } = read(patched(bytes, [versionsAt.ue5, 1999]))
    const { warnings: none, ...known } = read(bytes)
    expect(none).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('522/1999')])
    expect(facts).toEqual({ ...known, fileVersions: { ...known.fileVersions, ue5: 1999 } })
  })

  test('newer than known, or of a licensee, are unsupported when the header does not add up', async () => {
    const bytes = await writePackage({ ...barrel, engine: '5.7.4' })
    const shifted: [number, number] = [fieldAt(bytes, summaryOf(bytes).names.offset), 5]
    expect(() => read(patched(bytes, shifted))).toThrow(reason('damaged'))
    expect(() => read(patched(bytes, shifted, [versionsAt.ue5, 1019]))).toThrow(reason('unsupported'))
    expect(() => read(patched(bytes, shifted, [versionsAt.licensee, 3]))).toThrow(reason('unsupported'))
  })
})

test('a licensee’s engine is told, but not by the bit that 4.26.0 set by mistake until object version 522', async () => {
  const bytes = await writePackage({ ...barrel, engine: '4.26.0' })
  const changelistAt = bytes.indexOf(Buffer.from([4, 0, 26, 0, 0, 0])) + 6
  const licensee = 0x80000000
  const savedBy = (changelist: number, ue4: number) =>
    read(patched(bytes, [changelistAt, changelist + licensee], [versionsAt.ue4, ue4])).savedBy
  expect(savedBy(12740027, 522)).toMatchObject({ changelist: 12740027, licensee: true })
  expect(savedBy(12740027, 521)).toMatchObject({ changelist: 12740027, licensee: false })
  expect(savedBy(12740026, 521)).toMatchObject({ licensee: true })
})

describe('a cooked package', () => {
  test.each(['4.22.3', '4.27.2', '5.0.3', '5.1.1', '5.4.4', '5.7.4'])(
    'without versions, of Unreal %s, is described as far as all fitting layouts agree',
    async (engine) => {
      const bytes = await writePackage({ ...barrel, engine, cooked: 'unversioned' })
      expect(headerSize(bytes)).toBe(bytes.length - 64 - 4)
      expect(read(bytes)).toMatchObject({
        complete: true,
        cooked: true,
        packageName: Number.parseFloat(engine) >= 5.1 ? barrel.packageName : null,
        stableGuid: null,
        engineVersion: null,
        assetName: 'SM_Barrel',
        assetClass: 'StaticMesh',
        imports: ['/Engine/BasicShapes/Cube', '/Game/Materials/M_Oak', '/Script/Engine'],
        thumbnail: null,
        warnings: [expect.stringContaining('cooked package without versions')],
      })
    },
  )

  test('without versions is described under another file name too: layouts whose objects do not follow the header are out', async () => {
    const bytes = await writePackage({ ...barrel, engine: '4.22.3', cooked: 'unversioned' })
    expect(read(bytes, 'SM_Keg')).toMatchObject({ complete: true, assetName: 'SM_Barrel', assetClass: 'StaticMesh' })
  })

  test('without versions whose fitting layouts disagree is not described: no reading is picked by chance', async () => {
    const bytes = await writePackage({ ...barrel, engine: '4.22.3', cooked: 'unversioned' })
    expect(read(bytes).softReferences).toEqual(barrel.softReferences)
    // As a name (4.18 on) this is entry 0, as a string (before) it is an empty one.
    const searchableNames = 4
    const soft = headerSize(bytes) - searchableNames - 8
    expect(read(patched(bytes, [soft, 0]))).toMatchObject({ complete: false, imports: [], softReferences: [] })
  })

  test('without versions and of no known layout is recognised, and nothing is made up', async () => {
    const bytes = await writePackage({ ...barrel, cooked: 'unversioned' })
    const headerSizeAt = 28
    const lost = patched(bytes, [headerSizeAt, 77])
    expect(headerSize(lost)).toBe(lost.length)
    expect(read(lost)).toMatchObject({ complete: false, cooked: true, packageName: null, assetClass: null, imports: [] })
    expect(read(lost).warnings).toEqual([expect.stringContaining('nothing in it can be described')])
  })

  test('is not what an editor-saved one with its versions wiped out is taken for', async () => {
    const bytes = await writePackage({ ...barrel, engine: '5.7.4' })
    const wiped = patched(bytes, [8, 0], [versionsAt.ue4, 0], [versionsAt.ue5, 0])
    expect(read(wiped)).toMatchObject({ complete: false, cooked: true, stableGuid: null })
  })

  test('with versions is read like any other', async () => {
    const facts = read(await writePackage({ ...barrel, cooked: 'versioned' }))
    expect(facts).toMatchObject({
      complete: true,
      cooked: true,
      engineVersion: '5.3.2',
      assetClass: 'StaticMesh',
      thumbnail: null,
    })
  })
})

describe('names', () => {
  test('before 5.1 are only hinted at: the own one is dropped from the soft references all the same', async () => {
    const softReferences = ['/Game/Props/SM_Barrel', '/Game/Sound/SC_Knock']
    const facts = read(await writePackage({ ...barrel, engine: '4.27.2', softReferences }))
    expect(facts).toMatchObject({ packageName: null, ownNameCandidates: [barrel.packageName] })
    expect(facts.softReferences).toEqual(['/Game/Sound/SC_Knock'])
  })

  test('with a number at the end are found by what is stored of them', async () => {
    const facts = read(await writePackage({ ...barrel, packageName: '/Game/SM_Plate_4', engine: '4.27.2' }), 'SM_Plate_4')
    expect(facts).toMatchObject({ assetName: 'SM_Plate_4', ownNameCandidates: ['/Game/SM_Plate'] })
  })

  test('of two that look like the own one, the tags decide', async () => {
    const spec = { ...barrel, engine: '4.27.2', assetClass: 'Blueprint', packageName: '/Game/B/BP_Door' }
    const softReferences = ['/Game/A/BP_Door', '/Game/B/BP_Door']
    const tags = { GeneratedClass: "BlueprintGeneratedClass'/Game/B/BP_Door.BP_Door_C'" }
    expect(read(await writePackage({ ...spec, softReferences, tags }), 'BP_Door').softReferences).toEqual(['/Game/A/BP_Door'])
    expect(read(await writePackage({ ...spec, softReferences }), 'BP_Door').softReferences).toEqual(softReferences)
  })
})

describe('soft references', () => {
  test('that are empty name nothing', async () => {
    const facts = read(await writePackage({ ...barrel, softReferences: ['', '/Game/Sound/SC_Knock'] }))
    expect(facts.softReferences).toEqual(['/Game/Sound/SC_Knock'])
  })
})

describe('a picture', () => {
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } }).png()

  test('that is not where or what its record says is left out with a warning, and the rest stands', async () => {
    const bytes = await writePackage({ ...barrel, thumbnail: await picture.toBuffer() })
    const { thumbnail, ...facts } = read(bytes)
    const record = (thumbnail?.offset ?? 0) - 12
    const [width, height, length, image] = [record, record + 4, record + 8, record + 12]
    const lies: [number, number][] = [
      [width, -40],
      [width, 100_000],
      [height, -0x80000000],
      [length, 0x7fffffff],
      [length, -1],
      [image, 0x20202020],
    ]
    for (const lie of lies) {
      const warnings = ['The picture of SM_Barrel cannot be read.']
      expect(read(patched(bytes, lie))).toEqual({ ...facts, thumbnail: null, warnings })
    }
  })

  test('of no size is an object without a picture, and no reason to warn', async () => {
    const facts = read(await writePackage(barrel))
    expect(facts).toMatchObject({ thumbnail: null, warnings: [] })
  })
})

describe('the main asset', () => {
  test('is told by the exports where there is no registry data', async () => {
    for (const engine of ['4.22.3', '5.3.2', '5.7.4']) {
      const bytes = await writePackage({ ...barrel, engine, tags: {} })
      const none = patched(bytes, [fieldAt(bytes, registryOffset(bytes)), 0])
      expect(read(none)).toEqual({ ...read(bytes), editorOnlyImports: null })
    }
  })
})

describe('an asset that a cooker did not mark', () => {
  test('is the outermost object of that name, or else the Blueprint class of it', async () => {
    const spec = { ...barrel, packageName: '/Game/BP_Door', assetClass: 'Blueprint', cooked: 'versioned' } as const
    const bytes = await writePackage(spec)
    const first = summaryOf(bytes).exports.offset
    const unmarked: [number, number] = [first + 68, 0]
    const nested: [number, number] = [first + 12, 2]
    expect(read(patched(bytes, unmarked), 'BP_Door')).toMatchObject({ assetName: 'BP_Door', assetClass: 'Blueprint' })
    const inner = read(patched(bytes, unmarked, nested), 'BP_Door')
    expect(inner).toMatchObject({ assetName: 'BP_Door_C', assetClass: 'BlueprintGeneratedClass' })
    expect(read(patched(bytes, unmarked), 'Elsewhere')).toMatchObject({ assetName: null, assetClass: null })
  })
})

describe('imports', () => {
  test('of which no bit says that the game uses them are the editor’s only', async () => {
    const bytes = await writePackage({ ...barrel, imports: ['/Game/Materials/M_Oak', '/Game/Editor/M_Grid'] })
    expect(read(bytes).editorOnlyImports).toEqual([])
    // Imports stand as module, class, then package and object of each; the last two are those of M_Grid.
    const words = bytes.lastIndexOf(Buffer.from([6, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])) + 4
    expect(read(patched(bytes, [words, 0b001111])).editorOnlyImports).toEqual(['/Game/Editor/M_Grid'])
    expect(read(patched(bytes, [words, 0b101111])).editorOnlyImports).toEqual([])
    expect(() => read(patched(bytes, [words - 4, 5]))).toThrow(reason('damaged'))
    expect(read(await writePackage({ ...barrel, engine: '4.22.3' })).editorOnlyImports).toBeNull()
  })

  test('of an object that lies outside its outer’s package name that package too', async () => {
    const bytes = await writePackage(barrel)
    const { imports, versions } = summaryOf(bytes)
    expect(versions.ue4).toBe(522)
    const firstObjectName = bytes.readInt32LE(imports.offset + 40 * 2 + 20)
    const external = patched(bytes, [imports.offset + 40 * 5 + 28, firstObjectName])
    expect(read(bytes).imports).not.toContain('/Game/Sound/SC_Knock')
    const names = read(external).imports
    expect(names).toEqual(read(bytes).imports)
    const soft = bytes.readInt32LE(summaryOf(bytes).softPackageReferences.offset)
    expect(read(patched(bytes, [imports.offset + 40 * 5 + 28, soft])).imports).toContain('/Game/Sound/SC_Knock')
  })
})

function registryOffset(bytes: Uint8Array): number {
  return summaryOf(bytes).assetRegistryOffset
}
