// Levels as World Partition keeps them: one file, and every actor in a file of its own, with the label that the outliner shows.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writePackage } from './package.ts'
import { randomBytes, randomGuid } from './random.ts'

export type LevelOptions = {
  actors: number
  /** Another seed gives other bytes under the same names. */
  seed?: string
  engine?: string
}

export type SampleLevel = {
  /** Below the folder of the project, with `/`. */
  file: string
  /** Files of its actors, in the order of their numbers. */
  actors: string[]
}

/** So many actors have the levels that tests and measurements are made with. */
export const levelSizes = { town: 300, world: 20_000 }

const name = 'L_Harbor'
const packageName = `/Game/Maps/${name}`
/** What stands in a harbor, and of which class it is; every kind is numbered by itself. */
const kinds: [label: string, assetClass: string][] = [
  ['Crate', 'StaticMeshActor'],
  ['Lantern', 'PointLight'],
  ['Barrel', 'StaticMeshActor'],
  ['Gull', 'BP_Gull_C'],
  ['Quay wall', 'StaticMeshActor'],
]
const actorBytes = 1500

/** Writes the level into the Content folder of a project. The same seed gives the same bytes. */
export async function makeSampleLevel(
  folder: string,
  { actors, seed = 'prop-house', engine }: LevelOptions,
): Promise<SampleLevel> {
  const options = { seed, ...(engine === undefined ? {} : { engine }) }
  const file = `Content/Maps/${name}.umap`
  const payload = randomBytes(`${seed} level`, 38_000)
  write(join(folder, file), await writePackage({ packageName, assetClass: 'World', payload, ...spread(options) }))
  const level: SampleLevel = { file, actors: [] }
  for (let index = 0; index < actors; index++) {
    level.actors.push(actorFile(index))
    await writeActor(folder, index, options)
  }
  return level
}

/** Moves an actor as a level designer would: other bytes, the same file and label. */
export const moveSampleActor = (
  folder: string,
  index: number,
  options: Omit<LevelOptions, 'actors'> & { seed: string },
): Promise<void> => writeActor(folder, index, options)

/** What the outliner calls an actor: nothing for every tenth, which has never been renamed. */
export function labelOf(index: number): string | undefined {
  const [label] = kinds[index % kinds.length] ?? []
  return index % 10 === 9 ? undefined : `${label} ${Math.floor(index / kinds.length) + 1}`
}

const actorHash = (index: number): string => randomGuid(`${packageName} actor ${index}`)

function actorFile(index: number): string {
  const hash = actorHash(index)
  return `Content/__ExternalActors__/Maps/${name}/${hash.slice(0, 1)}/${hash.slice(1, 3)}/${hash.slice(3, 25)}.uasset`
}

async function writeActor(folder: string, index: number, { seed, engine }: { seed: string; engine?: string }): Promise<void> {
  const [, assetClass = 'Actor'] = kinds[index % kinds.length] ?? []
  const file = actorFile(index)
  const bytes = await writePackage({
    packageName: `/Game/${file.slice('Content/'.length, -'.uasset'.length)}`,
    assetName: `${assetClass}_UAID_${actorHash(index).slice(0, 16)}`,
    assetClass,
    imports: [packageName],
    guid: actorHash(index),
    payload: randomBytes(`${seed} actor ${index}`, actorBytes),
    label: labelOf(index) ?? null,
    ...spread({ engine }),
  })
  write(join(folder, file), bytes)
}

const spread = ({ engine }: { engine?: string | undefined }) => (engine === undefined ? {} : { engine })

function write(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}
