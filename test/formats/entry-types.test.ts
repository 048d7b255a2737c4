// The table from asset class to entry type.
import { expect, test } from 'vitest'
import { entryTypeOf } from '../../formats/entry-types.ts'
import { findSourceKind } from '../../formats/source-file.ts'
import { realPackages } from '../support/real-packages.ts'

test.each([
  ['StaticMesh', 'mesh'],
  ['SkeletalMesh', 'skeletal_mesh'],
  ['TextureCube', 'texture'],
  ['TextureRenderTarget2D', 'texture'],
  ['MaterialInstanceConstant', 'material'],
  ['MaterialFunctionMaterialLayerBlend', 'material'],
  ['EditorUtilityWidgetBlueprint', 'blueprint'],
  ['AnimBlueprint', 'blueprint'],
  ['NiagaraSystem', 'vfx'],
  ['ParticleSystem', 'vfx'],
  ['SoundCue', 'audio'],
  ['MetaSoundSource', 'audio'],
  ['BlendSpace', 'animation'],
  ['Skeleton', 'animation'],
  ['LevelSequence', 'sequence'],
  ['World', 'level'],
  ['DataTable', 'data'],
  ['PhysicsAsset', 'physics'],
  ['SourceMesh', 'source_mesh'],
])('%s is of type %s', (assetClass, type) => {
  expect(entryTypeOf(assetClass)).toBe(type)
})

test("a plugin's class is told by its name, and one that nothing is known of is data", () => {
  expect(entryTypeOf('FlowGraphBlueprint')).toBe('blueprint')
  expect(entryTypeOf('NiagaraStatelessEmitterTemplate')).toBe('vfx')
  expect(entryTypeOf('SubmixEffectReverbPreset')).toBe('audio')
  expect(entryTypeOf('KawaiiPhysicsPresetDataAsset')).toBe('data')
  for (const name of ['', 'constructor', '__proto__', 'BP_Item_C']) expect(entryTypeOf(name)).toBe('data')
})

test('a redirector is no entry', () => {
  expect(entryTypeOf('ObjectRedirector')).toBeNull()
})

test.runIf(process.env.PH_FIXTURES)('real packages spread over the types as their classes say', () => {
  const classes = new Set(realPackages().map(({ expected }) => expected.asset_class ?? ''))
  const data = [...classes].filter((assetClass) => entryTypeOf(assetClass) === 'data')
  expect(data.filter((name) => !/^$|^Curve|Data|^UserDefined|Config$|^CesiumEllipsoid$/.test(name))).toEqual([])
})

test('source files have the type that their own table gives their class', () => {
  for (const ext of ['fbx', 'png', 'wav', 'bvh', 'mtlx', 'blend', 'vdb', 'mp4', 'ttf']) {
    const kind = findSourceKind(ext)
    expect(entryTypeOf(kind?.assetClass ?? '')).toBe(kind?.entryType)
  }
})
