/** Which two things are compared: a file here with the version it was made from, or two versions of a prop. */
import { ApiError } from '../../contract/errors.ts'
import type { Lineage, LineageObject } from '../../contract/lineages.ts'
import { shellWord } from '../../system/shell-word.ts'
import { findNamedProps, type NamedProp, type Naming } from '../check-out/named-props.ts'
import { ClientError } from '../client-error.ts'
import { versionName, versionNumber } from '../entries/current-version.ts'
import type { StatusFile } from '../status/report.ts'
import { type ActorChanges, compareActors, lastTwoSets, nameOfPart, setsOfLevel } from './actors.ts'
import { type ComparedVersion, type Comparison, compare } from './compare.ts'
import { readVersion } from './library-version.ts'
import { type LocalFile, readLocalFile } from './local-file.ts'

/** `file`: the file here. `current`: the version that is current. Else chooses one of the versions, or throws. */
export type Choice = 'file' | 'current' | ((versions: readonly LineageObject[], name: string) => LineageObject)

export interface CompareOptions extends Naming {
  from?: Choice | undefined
  to?: Choice | undefined
}

export interface Compared {
  lineage_id: string
  entry_id: number | null
  name: string
  from: ComparedVersion | LocalFile
  to: ComparedVersion | LocalFile
  comparison: Comparison
  /** Of a level. */
  actors?: ActorChanges | null
  /** The version that is current is neither of the two. */
  current: { object_id: number; version?: number | undefined } | null
}

/**
 * A file is compared with the version it was made from, a prop's current version with the one before; `from` and `to` say otherwise.
 * Throws ClientError `NOT_IN_LIBRARY`, `NOTHING_TO_COMPARE`, `FILE_UNREADABLE`, and as `findNamedProps` does.
 */
export async function compareNamed(reference: string, { from, to, ...naming }: CompareOptions): Promise<Compared> {
  const { api } = naming
  const { props, root, project, unknown, paths } = await findNamedProps([reference], naming)
  const prop = requireOne(props, { reference, unknown })
  const [file] = prop.files.filter(({ state }) => state !== 'missing')
  const lineage = await api.lineages.get({ lineage_id: prop.lineage_id })
  const name = await nameOf(prop, lineage, naming)
  const isFile = paths.length > 0
  const sets = isLevel(lineage) ? await setsOfLevel(api, lineage.id, project) : undefined
  // The level's own file stays as it is when its actors are saved.
  const chosen = sets && !isFile && !from && !to ? lastTwoSets(lineage, sets) : undefined
  const current = chosen && requireVersion(lineage, lineage.face_object_id)
  const sides = current ? { from: current, to: current } : chooseSides({ lineage, name, file, isFile }, { from, to })
  const read = (side: LineageObject | StatusFile) =>
    'file' in side ? readLocalFile(root ?? naming.cwd, side.file) : readVersion(api, lineage, side)
  const [before, after] = await Promise.all([read(sides.from), read(sides.to)])
  const ids = [before.object_id, after.object_id]
  return {
    ...{ lineage_id: lineage.id, entry_id: lineage.entry_id, name, from: before, to: after },
    comparison: compare(before, after),
    ...(sets ? { actors: await actorsOf({ from: before, to: after, sets, chosen }) } : {}),
    current: ids.includes(lineage.face_object_id) ? null : faceOf(lineage),
  }

  function actorsOf(compared: Pick<Parameters<typeof compareActors>[1], 'from' | 'to' | 'sets' | 'chosen'>) {
    const path = requireVersion(lineage, lineage.face_object_id).origin_path
    return compareActors(api, { ...compared, lineageId: lineage.id, path, root, wire: naming.wire })
  }
}

const isLevel = ({ objects }: Lineage): boolean => objects.some(({ asset_class }) => asset_class === 'World')

function requireOne(props: readonly NamedProp[], { reference, unknown }: { reference: string; unknown: readonly string[] }) {
  const [prop, second] = props
  if (second)
    throw new ClientError('USAGE', `${reference} holds several props; two versions of one are compared.`, {
      next: 'Name one file, or one prop.',
    })
  if (prop) return prop
  throw new ClientError(
    'NOT_IN_LIBRARY',
    `${unknown[0] ?? reference} is not in the library: there is nothing to compare it with.`,
    {
      next: 'Look into it with `ph inspect`, or push it first.',
    },
  )
}

/** A file is called what its entry is, a part of a level what the outliner calls it. */
async function nameOf(prop: NamedProp, lineage: Lineage, { api }: Naming): Promise<string> {
  const { entry_id } = lineage
  return entry_id === null ? nameOfPart(lineage, prop.name) : (await api.entries.get({ entry_id })).name
}

interface Sides {
  lineage: Lineage
  name: string
  file: StatusFile | undefined
  /** A file was named, and not its prop. */
  isFile: boolean
}

type Side = LineageObject | StatusFile

function chooseSides(sides: Sides, choices: Pick<CompareOptions, 'from' | 'to'>): { from: Side; to: Side } {
  const { lineage, name, file, isFile } = sides
  const pick = (choice: Choice): Side => {
    if (choice === 'current') return requireVersion(lineage, lineage.face_object_id)
    if (choice !== 'file') return choice(lineage.objects, name)
    if (file) return file
    throw new ClientError('NOT_IN_LIBRARY', `${name} has no file in the project that you are in.`, {
      next: `Pull it first, or name two of its versions: \`ph diff ${lineage.entry_id ?? shellWord(name)} --from v1 --to current\`.`,
    })
  }
  const to = pick(choices.to ?? (isFile ? 'file' : 'current'))
  if (choices.from) return { from: pick(choices.from), to }
  if (isFile && file) return { from: requireVersion(lineage, file.object_id ?? lineage.face_object_id), to }
  const before = 'file' in to ? requireVersion(lineage, lineage.face_object_id) : findBefore(lineage, to)
  if (before) return { from: before, to }
  throw new ClientError('NOTHING_TO_COMPARE', `${name} has no version before ${versionName(to as LineageObject)}.`)
}

function requireVersion({ id, objects }: Lineage, objectId: number): LineageObject {
  const found = objects.find(({ object_id }) => object_id === objectId)
  if (!found) throw new ApiError('OBJECT_NOT_FOUND', `There is no version ${objectId} of this prop.`, { lineage_id: id })
  return found
}

/** What it was made from, else what came before it. */
const findBefore = ({ objects }: Lineage, { object_id, parent_object_id }: LineageObject): LineageObject | undefined =>
  objects.find((one) => one.object_id === parent_object_id) ?? objects.find((one) => one.object_id < object_id)

function faceOf(lineage: Lineage): Compared['current'] {
  const { face_object_id: object_id } = lineage
  return { object_id, version: versionNumber(lineage, object_id) }
}
