// The sample's materials and textures: which finish each stands for, and the packages that hold them.
import type { SampleAsset } from './asset.ts'
import { textureFacts } from './asset.ts'
import type { Finish } from './finish.ts'
import { materialPicture, normalPicture, texturePicture, toPng, toTga } from './picture.ts'
import { surfaces } from './surfaces.ts'

type Material = { folder: string; finishes: [Finish, ...Finish[]]; textures?: string[] }

const tavern = '/Game/Tavern'
const forest = '/Game/Forest'
const master = '/Game/Shared/Materials/M_Surface'
const { oak, darkOak, iron, brass, clay, glazed, wax, paper, redLeather, blueLeather, bottleGlass, flame, lampGlass } = surfaces
const { pine, bark, rock, mossyRock, brick, leaves, needles, mushroomCap, mushroomStem } = surfaces

const materials: Record<string, Material> = {
  MI_Oak: { folder: tavern, finishes: [oak], textures: [`${tavern}/Textures/T_Oak_BC`, `${tavern}/Textures/T_Oak_N`] },
  MI_DarkOak: { folder: tavern, finishes: [darkOak], textures: [`${tavern}/Textures/T_Oak_BC`, `${tavern}/Textures/T_Oak_N`] },
  MI_Iron: { folder: tavern, finishes: [iron] },
  MI_Brass: { folder: tavern, finishes: [brass] },
  MI_Ceramic: { folder: tavern, finishes: [clay, glazed, wax, paper] },
  MI_Leather: { folder: tavern, finishes: [redLeather, blueLeather] },
  MI_BottleGlass: { folder: tavern, finishes: [bottleGlass] },
  MI_Glow: { folder: tavern, finishes: [flame, lampGlass] },
  MI_Pine: { folder: forest, finishes: [pine, bark] },
  MI_MossyRock: { folder: forest, finishes: [mossyRock, rock], textures: [`${forest}/Textures/T_MossyRock_BC`] },
  MI_Brick: { folder: forest, finishes: [brick], textures: [`${forest}/Textures/T_Brick_BC`] },
  MI_Foliage: { folder: forest, finishes: [leaves, needles], textures: [`${forest}/Textures/T_Leaves_BC`] },
  MI_Mushroom: { folder: forest, finishes: [mushroomCap, mushroomStem] },
}

const owners = new Map<Finish, string>()
for (const [name, { folder, finishes }] of Object.entries(materials)) {
  for (const finish of finishes) owners.set(finish, `${folder}/Materials/${name}`)
}

/** The material that a surface of a prop uses. A repainted surface keeps the first one. */
export function materialOf(finish: Finish): string {
  return owners.get(finish) ?? `${tavern}/Materials/MI_Oak`
}

export function materialAssets(): SampleAsset[] {
  const instances = Object.entries(materials).map(([name, { folder, finishes, textures = [] }]) => ({
    packageName: `${folder}/Materials/${name}`,
    assetClass: 'MaterialInstanceConstant',
    imports: [master, ...textures],
    tags: { Parent: `/Script/Engine.Material'${master}.M_Surface'` },
    picture: (sizePx: number) => materialPicture(finishes[0], sizePx),
    payloadBytes: 9000,
  }))
  const shared: SampleAsset[] = [
    {
      packageName: master,
      assetClass: 'Material',
      imports: ['/Game/Shared/Materials/MF_EdgeWear'],
      tags: { BlendMode: 'BLEND_Opaque', ShadingModel: 'MSM_DefaultLit', MaterialDomain: 'MD_Surface' },
      picture: (sizePx) => materialPicture(surfaces.glazed, sizePx),
      payloadBytes: 60_000,
    },
    { packageName: '/Game/Shared/Materials/MF_EdgeWear', assetClass: 'MaterialFunction', tags: {}, payloadBytes: 24_000 },
  ]
  return [...shared, ...instances]
}

/** Textures with the files they were imported from: PNG, and TGA for two of them. */
export function textureAssets(): SampleAsset[] {
  const colors = (packageName: string, finish: Finish, ext: 'png' | 'tga'): SampleAsset => ({
    packageName,
    assetClass: 'Texture2D',
    ...textureFacts(1024, 'DXT1'),
    picture: (sizePx) => texturePicture(finish, sizePx),
    sources: { [ext]: () => (ext === 'png' ? toPng(texturePicture(finish, 256)) : toTga(texturePicture(finish, 256), true)) },
  })
  const normals: SampleAsset = {
    packageName: `${tavern}/Textures/T_Oak_N`,
    assetClass: 'Texture2D',
    ...textureFacts(1024, 'BC5'),
    picture: (sizePx) => normalPicture(texturePicture(oak, sizePx)),
    sources: { png: () => toPng(normalPicture(texturePicture(oak, 256))) },
  }
  return [
    colors(`${tavern}/Textures/T_Oak_BC`, oak, 'png'),
    normals,
    colors(`${forest}/Textures/T_MossyRock_BC`, mossyRock, 'tga'),
    colors(`${forest}/Textures/T_Brick_BC`, brick, 'png'),
    colors(`${forest}/Textures/T_Leaves_BC`, leaves, 'tga'),
  ]
}
