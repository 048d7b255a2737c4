// From the text of registry tags to entry metadata.
import { expect, test } from 'vitest'
import { metadataFromTags } from '../../formats/uasset/asset-registry-tags.ts'

const from = (assetClass: string, tags: Record<string, string>) => metadataFromTags(assetClass, new Map(Object.entries(tags)))

test('a static mesh tells its counts, its box in centimetres and whether it collides', () => {
  const tags = { Triangles: '720', Vertices: '401', Materials: '2', LODs: '3', ApproxSize: '28x18x0', NaniteEnabled: 'True' }
  expect(from('StaticMesh', { ...tags, CollisionPrims: '0' })).toEqual({
    tri_count: 720,
    vert_count: 401,
    material_count: 2,
    lod_count: 3,
    has_collision: false,
    nanite_enabled: true,
    bounds_x: 28,
    bounds_y: 18,
    bounds_z: 0,
  })
})

test('a static mesh without collision shapes collides when it is itself the shape', () => {
  const own = { CollisionPrims: '0', CollisionComplexity: 'CTF_UseComplexAsSimple' }
  expect(from('StaticMesh', own)).toEqual({ has_collision: true })
  expect(from('StaticMesh', { CollisionPrims: '2', CollisionComplexity: 'CTF_UseDefault' })).toEqual({ has_collision: true })
  expect(from('StaticMesh', { LODs: '1' })).toEqual({ lod_count: 1 })
})

test('a skeletal mesh tells its bones', () => {
  const tags = { Triangles: '2376', Vertices: '1531', LODs: '1', Bones: '6', MorphTargets: '0' }
  expect(from('SkeletalMesh', tags)).toEqual({ tri_count: 2376, vert_count: 1531, lod_count: 1, bone_count: 6 })
})

test('textures of all kinds tell size and format', () => {
  const size = { texture_width: 768, texture_height: 1 }
  expect(from('Texture2D', { Dimensions: '768x1', Format: 'B8G8R8A8' })).toEqual({ ...size, texture_format: 'B8G8R8A8' })
  expect(from('VolumeTexture', { Dimensions: '768x1x16' })).toEqual(size)
  expect(from('TextureRenderTarget2D', { SizeX: '768', SizeY: '1' })).toEqual(size)
})

test('a sound tells its length, and none when it loops for ever', () => {
  const wave = { Duration: '0.182187', SampleRate: '48000', NumChannels: '2' }
  expect(from('SoundWave', wave)).toEqual({ audio_duration: 0.182187, sample_rate: 48000, channel_count: 2 })
  expect(from('SoundCue', { Duration: '10000.000000' })).toEqual({})
})

test('animations, materials and effects tell what their kind has', () => {
  expect(from('AnimSequence', { SequenceLength: '21.666666' })).toEqual({ anim_length: 21.666666 })
  expect(from('Material', { BlendMode: 'BLEND_Masked' })).toEqual({ blend_mode: 'Masked' })
  expect(from('ParticleSystem', { NumEmitters: '4' })).toEqual({ emitter_count: 4 })
  expect(from('NiagaraSystem', { ActiveEmitters: '3' })).toEqual({ emitter_count: 3 })
})

test('values that are not what they should be are left out, not passed on', () => {
  const odd = { Triangles: '-1', Vertices: '1e99', Materials: '9'.repeat(40), LODs: '', ApproxSize: '1x2', NaniteEnabled: 'yes' }
  expect(from('StaticMesh', odd)).toEqual({})
  expect(from('StaticMesh', { ApproxSize: '1x2x' })).toEqual({})
  expect(from('Texture2D', { Dimensions: '12x34xinf', Format: 'a b' })).toEqual({})
  expect(from('SoundWave', { Duration: 'NaN', SampleRate: '48e3' })).toEqual({})
  expect(from('Material', { BlendMode: "/Script/X'<script>'" })).toEqual({})
})

test("a source file's folders never become metadata, and unknown classes have none", () => {
  const AssetImportData = '[{ "RelativeFilename" : "../../Users/ada/rock.fbx", "Timestamp" : "1500000000" }]'
  expect(from('StaticMesh', { AssetImportData })).toEqual({})
  for (const unknown of ['MyOwnDataAsset', 'constructor', '__proto__', '']) expect(from(unknown, { Triangles: '1' })).toEqual({})
})
