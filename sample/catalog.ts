// Every asset of the sample project, in no particular order: a tavern, a forest, and a level that shows both.
import { meshFacts, type SampleAsset } from './asset.ts'
import { toFbx } from './fbx-model.ts'
import type { Finish } from './finish.ts'
import * as forestProps from './forest-props.ts'
import { materialAssets, materialOf, textureAssets } from './materials.ts'
import { toGlb } from './model.ts'
import { toMtl, toObj } from './obj.ts'
import { propPicture, soundPicture, sparksPicture } from './picture.ts'
import { randomGuid } from './random.ts'
import { backdrops } from './render.ts'
import type { Shape } from './shape.ts'
import { fireCrackle, toWav } from './sound.ts'
import * as tavernProps from './tavern-props.ts'

const tavern = '/Game/Tavern'
const forest = '/Game/Forest'
const level = '/Game/Maps/L_Clearing'
const sparks = `${forest}/Effects/NS_CampfireSparks`
const fireSound = `${forest}/Sounds/S_FireCrackle`
const fireCue = `${forest}/Sounds/SC_FireCrackle`
const chestMesh = `${tavern}/Characters/SK_MimicChest`
const chestSkeleton = `${chestMesh}_Skeleton`

const meshes: Record<string, () => Shape> = {
  [`${tavern}/Props/SM_Barrel`]: tavernProps.barrel,
  [`${tavern}/Props/SM_Crate`]: tavernProps.crate,
  [`${tavern}/Props/SM_Chest`]: tavernProps.chest,
  [`${tavern}/Props/SM_Bucket`]: tavernProps.bucket,
  [`${tavern}/Props/SM_BookPile`]: tavernProps.bookPile,
  [`${tavern}/Furniture/SM_Table`]: tavernProps.table,
  [`${tavern}/Furniture/SM_Stool`]: tavernProps.stool,
  [`${tavern}/Furniture/SM_Shelf`]: tavernProps.shelf,
  [`${tavern}/Props/SM_Mug`]: tavernProps.mug,
  [`${tavern}/Props/SM_Bottle`]: tavernProps.bottle,
  [`${tavern}/Lights/SM_Lantern`]: tavernProps.lantern,
  [`${tavern}/Lights/SM_Candle`]: tavernProps.candle,
  [`${forest}/Trees/SM_Pine`]: forestProps.pine,
  [`${forest}/Trees/SM_OakTree`]: forestProps.oakTree,
  [`${forest}/Trees/SM_Stump`]: forestProps.stump,
  [`${forest}/Rocks/SM_Boulder`]: forestProps.rock,
  [`${forest}/Rocks/SM_MossyRocks`]: forestProps.rockGroup,
  [`${forest}/Props/SM_Mushrooms`]: forestProps.mushrooms,
  [`${forest}/Props/SM_Fence`]: forestProps.fence,
  [`${forest}/Props/SM_Signpost`]: forestProps.signpost,
  [`${forest}/Props/SM_Campfire`]: forestProps.campfire,
  [`${forest}/Props/SM_Well`]: forestProps.well,
}
/** Meshes whose model files lie beside them. */
const modelled = new Map<string, 'glb' | 'fbx' | 'obj'>([
  [`${tavern}/Props/SM_Barrel`, 'glb'],
  [`${tavern}/Lights/SM_Lantern`, 'glb'],
  [`${forest}/Rocks/SM_Boulder`, 'glb'],
  [`${forest}/Props/SM_Well`, 'fbx'],
  [`${forest}/Props/SM_Signpost`, 'obj'],
])
/** What stands in the level, each as a file of its own. */
const placed = [
  `${forest}/Blueprints/BP_Campfire`,
  `${forest}/Trees/SM_OakTree`,
  `${forest}/Props/SM_Well`,
  `${tavern}/Props/SM_Barrel`,
]

/** A prop that needs others of every kind. */
export const composedProp = `${forest}/Blueprints/BP_Campfire`
/** The prop that `editSampleProp` repaints. */
export const editedProp = `${tavern}/Props/SM_Barrel`

export function sampleAssets(seed: string): SampleAsset[] {
  const props = Object.entries(meshes).map(([packageName, shape]) => meshAsset(packageName, shape()))
  return [...materialAssets(), ...textureAssets(), ...props, ...blueprints(), ...fire(seed), ...mimic(), ...levelAssets(seed)]
}

export function meshAsset(packageName: string, shape: Shape): SampleAsset {
  const { finishes, ...facts } = meshFacts(shape)
  return {
    packageName,
    assetClass: 'StaticMesh',
    imports: [...new Set(finishes.map(materialOf))],
    ...facts,
    picture: (sizePx) => propPicture(shape, sizePx),
    sources: modelSources(packageName, shape),
  }
}

function modelSources(packageName: string, shape: Shape): NonNullable<SampleAsset['sources']> {
  const names = { model: stemOf(packageName), material }
  switch (modelled.get(packageName)) {
    case 'glb':
      return { glb: () => toGlb(shape, names) }
    case 'fbx':
      return { fbx: () => toFbx(shape, names) }
    case 'obj':
      return { obj: () => toObj(shape, names), mtl: () => toMtl(shape, names) }
    default:
      return {}
  }
}

function blueprints(): SampleAsset[] {
  const blueprint = (packageName: string, shape: Shape, imports: string[]): SampleAsset => ({
    packageName,
    assetClass: 'Blueprint',
    imports,
    tags: {
      ParentClass: "/Script/CoreUObject.Class'/Script/Engine.Actor'",
      NativeParentClass: "/Script/CoreUObject.Class'/Script/Engine.Actor'",
      GeneratedClass: `/Script/Engine.BlueprintGeneratedClass'${packageName}.${stemOf(packageName)}_C'`,
    },
    picture: (sizePx) => propPicture(shape, sizePx, backdrops.blueprint),
    payloadBytes: 42_000,
  })
  const onTable = ['Furniture/SM_Table', 'Furniture/SM_Stool', 'Props/SM_Mug', 'Props/SM_Bottle', 'Lights/SM_Candle']
  return [
    blueprint(
      `${tavern}/Blueprints/BP_LaidTable`,
      tavernProps.laidTable(),
      onTable.map((name) => `${tavern}/${name}`),
    ),
    blueprint(composedProp, forestProps.campfire(), [`${forest}/Props/SM_Campfire`, sparks, fireCue]),
  ]
}

/** What makes a fire: sparks to see, a sound to hear and the cue that plays it. */
function fire(seed: string): SampleAsset[] {
  const sound = fireCrackle(4, seed)
  const seconds = sound.samples.length / sound.sampleRate
  return [
    {
      packageName: sparks,
      assetClass: 'NiagaraSystem',
      imports: [`${tavern}/Materials/MI_Glow`],
      tags: { NumEmitters: '2', ActiveEmitters: '2' },
      picture: (sizePx) => sparksPicture(sizePx, seed),
      payloadBytes: 180_000,
    },
    {
      packageName: fireSound,
      assetClass: 'SoundWave',
      tags: { Duration: seconds.toFixed(3), SampleRate: String(sound.sampleRate), NumChannels: '1' },
      picture: (sizePx) => soundPicture(sound.samples, sizePx),
      payloadBytes: sound.samples.length * 2,
      sources: { wav: () => toWav(sound) },
    },
    {
      packageName: fireCue,
      assetClass: 'SoundCue',
      imports: [fireSound],
      picture: (sizePx) => soundPicture(sound.samples.subarray(0, sound.sampleRate), sizePx, '#e0a458'),
      payloadBytes: 6000,
    },
  ]
}

/** A chest that opens: mesh, skeleton and animation. */
function mimic(): SampleAsset[] {
  const closed = tavernProps.chest()
  const { finishes, tags, payloadBytes } = meshFacts(closed)
  const open = tavernProps.chest(undefined, 48)
  const skinned = { Triangles: tags.Triangles ?? '', Vertices: tags.Vertices ?? '', LODs: '1', Bones: '3' }
  return [
    {
      packageName: chestMesh,
      assetClass: 'SkeletalMesh',
      imports: [...new Set([chestSkeleton, ...finishes.map(materialOf)])],
      tags: skinned,
      picture: (sizePx) => propPicture(tavernProps.chest(undefined, 22), sizePx),
      payloadBytes: payloadBytes + 20_000,
    },
    { packageName: chestSkeleton, assetClass: 'Skeleton', payloadBytes: 5000 },
    {
      packageName: `${tavern}/Characters/A_MimicChest_Open`,
      assetClass: 'AnimSequence',
      imports: [chestSkeleton],
      tags: {
        SequenceLength: '1.500000',
        'Number of Frames': '45',
        Skeleton: `/Script/Engine.Skeleton'${chestSkeleton}.${stemOf(chestSkeleton)}'`,
      },
      picture: (sizePx) => propPicture(open, sizePx, backdrops.dusk),
      payloadBytes: 14_000,
    },
  ]
}

/** A level whose actors are files of their own, in folders that the editor names by hash. */
function levelAssets(seed: string): SampleAsset[] {
  const actors = placed.map((target, index): SampleAsset => {
    const hash = randomGuid(`${seed} actor ${index}`)
    const folder = `/Game/__ExternalActors__${level.slice('/Game'.length)}/${hash.slice(0, 1)}/${hash.slice(1, 3)}`
    const isBlueprint = target.includes('/Blueprints/')
    return {
      packageName: `${folder}/${hash.slice(3, 25)}`,
      assetName: `${stemOf(target)}_UAID_${hash.slice(0, 16)}`,
      assetClass: isBlueprint ? 'Actor' : 'StaticMeshActor',
      label: `${stemOf(target).replace(/^[A-Z]+_/, '')} ${index + 1}`,
      imports: [level, target],
      payloadBytes: 3000,
    }
  })
  return [{ packageName: level, assetClass: 'World', tags: { PrimaryAssetName: level }, payloadBytes: 38_000 }, ...actors]
}

export function stemOf(packageName: string): string {
  return packageName.slice(packageName.lastIndexOf('/') + 1)
}

function material(finish: Finish): string {
  return stemOf(materialOf(finish))
}
