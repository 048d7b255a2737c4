// Properties of objects in packages: values by name, in both forms of tags.
import { describe, expect, test } from 'vitest'
import { openPackage } from '../../formats/uasset-data/package.ts'
import { type Properties, readObjectProperties } from '../../formats/uasset-data/properties.ts'
import { type ObjectBytes, sourcePackage } from '../support/source-package.ts'

const reason = (expected: string) => expect.objectContaining({ name: 'FormatError', reason: expected })

async function objectOf(engine: string, properties: (out: ObjectBytes) => void) {
  const bytes = await sourcePackage({ assetClass: 'Thing', engine, properties, data: (out) => out.raw(Buffer.from('own data')) })
  return openPackage(bytes).object(0)
}

async function read(engine: string, properties: (out: ObjectBytes) => void): Promise<Properties> {
  return readObjectProperties(await objectOf(engine, properties))
}

/** Those of UE5 object version 1012 and later write type trees into their tags. */
const engines = ['4.25.4', '4.27.2', '5.0.3', '5.3.2', '5.4.4', '5.5.4', '5.7.4']

describe.each(engines)('values saved by %s', (engine) => {
  test('numbers of all widths are read', async () => {
    const properties = await read(engine, (out) => {
      out.property('Tiny', ['Int8Property'], (value) => value.u8(0xfe))
      out.property('Short', ['Int16Property'], (value) => value.u16(0xfffe))
      out.int('Plain', -70_000)
      out.property('Long', ['Int64Property'], (value) => value.i64(-(2 ** 40)))
      out.property('Byte', ['ByteProperty'], (value) => value.u8(200))
      out.property('Word', ['UInt16Property'], (value) => value.u16(60_000))
      out.property('Double', ['UInt32Property'], (value) => value.u32(4_000_000_000))
      out.property('Quad', ['UInt64Property'], (value) => value.i64(2 ** 50))
      out.property('Float', ['FloatProperty'], (value) => value.f32(1.5))
      out.property('Precise', ['DoubleProperty'], (value) => value.f64(0.1))
    })
    const names = ['Tiny', 'Short', 'Plain', 'Long', 'Byte', 'Word', 'Double', 'Quad', 'Float', 'Precise']
    const expected = [-2, -2, -70_000, -(2 ** 40), 200, 60_000, 4_000_000_000, 2 ** 50, 1.5, 0.1]
    expect(names.map((name) => properties.number(name))).toEqual(expected)
  })

  test('truth, text, names, enums and references are read', async () => {
    const properties = await read(engine, (out) => {
      out.property('Yes', ['BoolProperty'], true).property('No', ['BoolProperty'], false)
      out.property('Text', ['StrProperty'], (value) => value.string('樽 barrel'))
      out.property('Name', ['NameProperty'], (value) => value.name('Oak'))
      out.property('Enum', ['EnumProperty', ['ETextureSourceFormat']], (value) => value.name('TSF_G8'))
      out.property('OldEnum', ['ByteProperty', ['ETextureSourceFormat']], (value) => value.name('TSF_BGRA8'))
      out.property('Object', ['ObjectProperty'], (value) => value.i32(-3))
    })
    expect([properties.bool('Yes'), properties.bool('No'), properties.bool('Text')]).toEqual([true, false, undefined])
    expect(['Text', 'Name', 'Enum', 'OldEnum'].map((name) => properties.text(name))).toEqual([
      '樽 barrel',
      'Oak',
      'TSF_G8',
      'TSF_BGRA8',
    ])
    expect(properties.object('Object')).toBe(-3)
    expect([properties.number('OldEnum'), properties.text('Nothing'), properties.object('Name')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe.each(engines)('structs saved by %s', (engine) => {
  test('that are bare numbers are read in single and in double precision', async () => {
    const properties = await read(engine, (out) => {
      out.property('Vector', ['StructProperty', ['Vector']], (value) => value.f32(1, 2, 3))
      out.property('Wide', ['StructProperty', ['Vector']], (value) => value.f64(0.1, 0.2, 0.3))
      out.property('Rotator', ['StructProperty', ['Rotator']], (value) => value.f32(90, 0, -90))
      out.property('Linear', ['StructProperty', ['LinearColor']], (value) => value.f32(0.5, 1, 2, 1))
      out.property('Point', ['StructProperty', ['IntPoint']], (value) => value.i32(640, -480))
      out.property('Color', ['StructProperty', ['Color']], (value) => value.raw(Buffer.from([1, 2, 3, 4])))
      out.property('Guid', ['StructProperty', ['Guid']], (value) => value.guid('0123456789ABCDEF0123456789ABCDEF'))
      out.property('Odd', ['StructProperty', ['Vector']], (value) => value.raw(Buffer.alloc(7)))
    })
    const names = ['Vector', 'Wide', 'Rotator', 'Linear', 'Point', 'Color', 'Odd']
    expect(names.map((name) => properties.tuple(name))).toEqual([
      [1, 2, 3],
      [0.1, 0.2, 0.3],
      [90, 0, -90],
      [0.5, 1, 2, 1],
      [640, -480],
      [3, 2, 1, 4],
      undefined,
    ])
    expect(properties.guid('Guid')).toBe('0123456789ABCDEF0123456789ABCDEF')
    expect([properties.struct('Vector'), properties.struct('Guid')]).toEqual([undefined, undefined])
  })

  test('are read from each other and from arrays, and so are the elements of fixed arrays', async () => {
    const properties = await read(engine, (out) => {
      out.struct('Source', 'TextureSource', (source) =>
        source.int('SizeX', 64).struct('Inner', 'Thing', (inner) => inner.int('Deep', 7)),
      )
      out.structs('Models', 'SourceModel', [
        (model) => model.int('Lod', 0).name('None'),
        (model) => model.struct('Build', 'Settings', (build) => build.int('Scale', 3)).name('None'),
      ])
      out.structs('Points', 'Vector', [(point) => point.f32(1, 2, 3), (point) => point.f32(4, 5, 6)])
      out.property('Objects', ['ArrayProperty', ['ObjectProperty']], (value) => value.i32(2, 9, -1))
      out.property('Names', ['ArrayProperty', ['NameProperty']], (value) => value.i32(1).name('Oak'))
      out.property('Bytes', ['ArrayProperty', ['ByteProperty']], (value) => value.i32(3).raw(Buffer.from([7, 8, 9])))
      out.property('Empty', ['ArrayProperty', ['IntProperty']], (value) => value.i32(0))
      out.int('Fixed', 10).int('Fixed', 11, 1)
    })
    expect(properties.struct('Source')?.number('SizeX')).toBe(64)
    expect(properties.struct('Source')?.struct('Inner')?.number('Deep')).toBe(7)
    expect(properties.structs('Models')?.map((model) => [model.number('Lod'), model.struct('Build')?.number('Scale')])).toEqual([
      [0, undefined],
      [undefined, 3],
    ])
    expect(properties.tuples('Points')).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
    expect([properties.objects('Objects'), properties.texts('Names'), properties.numbers('Bytes')]).toEqual([
      [9, -1],
      ['Oak'],
      [7, 8, 9],
    ])
    expect([properties.numbers('Empty'), properties.numbers('Objects')]).toEqual([[], undefined])
    expect([properties.number('Fixed'), properties.number('Fixed', 1), properties.number('Fixed', 2)]).toEqual([
      10,
      11,
      undefined,
    ])
  })
})

describe.each(engines)('an object saved by %s', (engine) => {
  test('is read around what is not known, and the data of its class follow', async () => {
    const object = await objectOf(engine, (out) => {
      out.property('Strange', ['FutureProperty'], (value) => value.raw(Buffer.alloc(33, 0xff)))
      out.property('Map', ['MapProperty', ['NameProperty'], ['IntProperty']], (value) => value.raw(Buffer.alloc(50, 0xff)))
      out.property('Set', ['SetProperty', ['IntProperty']], (value) => value.raw(Buffer.alloc(5)))
      out.int('Last', 5)
    })
    const properties = readObjectProperties(object)
    expect(object.latin1(object.left)).toBe('own data')
    expect([properties.number('Strange'), properties.struct('Map'), properties.number('Last')]).toEqual([undefined, undefined, 5])
    expect(object.left).toBe(0)
  })

  test('with sizes and counts that lie is damaged, and they are never allocated', async () => {
    const lying = await read(engine, (out) => {
      out.property('Many', ['ArrayProperty', ['IntProperty']], (value) => value.i32(0x7fffffff))
      out.property('Negative', ['ArrayProperty', ['IntProperty']], (value) => value.i32(-1))
      out.property('Long', ['StrProperty'], (value) => value.i32(1000).raw(Buffer.from('short\0')))
      out.property('Short', ['IntProperty'], (value) => value.u16(1))
      out.property('Open', ['StructProperty', ['Thing']], (value) => value.int('Never', 1))
    })
    for (const name of ['Many', 'Negative']) expect(() => lying.numbers(name)).toThrow(reason('damaged'))
    expect(() => lying.text('Long')).toThrow(reason('damaged'))
    expect(() => lying.number('Short')).toThrow(reason('damaged'))
    expect(() => lying.struct('Open')).toThrow(reason('damaged'))
  })

  test('with more elements than any asset has is refused', async () => {
    const object = await objectOf(engine, (out) => {
      const many = Buffer.alloc(4 * 400_000)
      out.property('Long', ['ArrayProperty', ['IntProperty']], (value) => value.i32(400_000).raw(many))
    })
    expect(() => readObjectProperties(object).numbers('Long')).toThrow(reason('too-large'))
  })
})

test('a type that nests without end is damage', async () => {
  let type: [string, ...never[]] | [string, never] = ['IntProperty']
  for (let depth = 0; depth < 20; depth++) type = ['ArrayProperty', type as never]
  await expect(read('5.7.4', (out) => out.property('Deep', type as never, (value) => value.i32(0)))).rejects.toThrow(
    reason('damaged'),
  )
})
