/** What a team relies on, looked at on a machine: no edit is lost; after a pull the level is one consistent set, with the actors that it has in the library. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller, Json } from './api.ts'
import { hashOf, isActor, isPackage, levelOf, type Machine, nameOf } from './team-machine.ts'

/** What a person saved is here, in the library, or in a folder of backups. */
export async function lostEdits(api: Caller, machine: Machine): Promise<string | undefined> {
  const isHere = ([file, hash]: [string, string]) => existsSync(join(machine.root, file)) && hashOf(machine.read(file)) === hash
  const gone = [...machine.saved].filter((one) => !isHere(one))
  if (gone.length === 0) return undefined
  const { versions } = await find(api, [...new Set(gone.map(([, hash]) => hash))])
  const known = new Set(versions.map((one: Json) => one.content_hash))
  const missing = gone.filter(([, hash]) => !known.has(hash))
  if (missing.length === 0) return undefined
  const everywhere = readdirSync(machine.root, { recursive: true, encoding: 'utf8' }).filter(isPackage)
  const kept = new Set(everywhere.map((path) => hashOf(machine.read(path))))
  const lost = missing.find(([, hash]) => !kept.has(hash))
  return lost && `the last save of ${lost[0]} is neither here nor in the library nor kept as a backup`
}

/** The prop that its game has at this path. */
async function placedAt(api: Caller, { game: project }: Machine, name: string): Promise<string | undefined> {
  const { places } = (await api.post('/lineages/find', { places: { project, paths: [name.toLowerCase()] } })).body
  return places[0]?.lineage_id
}

/** Whether `status` names a file of this prop as edited here, at whichever place. */
async function isEditedHere(machine: Machine, lineageId: string): Promise<boolean> {
  const { files } = JSON.parse((await machine.run('status --json')).stdout)
  const edited = (files as Json[]).filter(({ state }) => state === 'modified' || state === 'diverged' || state === 'moved')
  return edited.some(({ lineage_id }) => lineage_id === lineageId)
}

const find = async (api: Caller, content_hashes: string[]): Promise<Json> =>
  (await api.post('/lineages/find', { content_hashes })).body

/** From the level on: everything that is referred to is here or named, one version of each prop, and what nobody edited here is current. */
export async function inconsistent(api: Caller, machine: Machine, report: string): Promise<string | undefined> {
  const open = [levelOf(machine.game)]
  const reached = new Set(open)
  const absent: [file: string, name: string][] = []
  for (const file of open) {
    if (!existsSync(join(machine.root, file))) return `${file} did not come`
    for (const name of machine.facts(file).imports.filter((one) => one.startsWith('/Game/'))) {
      const needed = machine.fileOf(name)
      if (needed === undefined) absent.push([file, name])
      else if (!reached.has(needed)) {
        reached.add(needed)
        open.push(needed)
      }
    }
  }
  const hashes = new Map([...reached].map((file) => [file, hashOf(machine.read(file))]))
  const { versions, lineages } = await find(api, [...new Set(hashes.values())])
  const faces = new Map(lineages.map((one: Json) => [one.id, one]))
  const byHash = new Map<string, Json>(versions.map((one: Json) => [one.content_hash, one]))
  const named = report.toLowerCase()
  const { jobs = [], latest } = JSON.parse(report)
  const brought = new Set(jobs.flatMap((job: Json) => job.files.map((one: Json) => one.file)))
  for (const [file, name] of absent) {
    const isNamed = [name, name.replace('/Game', 'Content')].some((one) => named.includes(one.toLowerCase()))
    // What its person deleted here no pull knows of, where only an edit of this machine refers to it or the game has it elsewhere by now.
    const isEdited = !byHash.has(hashes.get(file) ?? '')
    // What its author never pushed was named when the file came, and is not named again while that is current. What a restored library lost it cannot name.
    const isAwaited = !isEdited && !brought.has(file)
    const isDeleted = machine.deleted.has(name)
    // Only an edited level needs it, which was asked for as the library has it.
    if (isNamed || (isAwaited && latest === undefined) || (isDeleted && isEdited)) continue
    const placed = await placedAt(api, machine, name)
    if (placed === undefined && (isDeleted || isAwaited || (isEdited && machine.isOfRestored))) continue
    // Its prop is here as an edit in another place, of which `status` tells.
    if (!(isDeleted && placed !== undefined && (await isEditedHere(machine, placed))))
      return `${file} refers to ${name}, which is neither here nor named as missing`
  }
  const files = new Map<string, string>()
  const edited = [...hashes].filter(([, hash]) => !byHash.has(hash))
  const needed = new Set(edited.flatMap(([file]) => machine.facts(file).imports.map((name) => name.toLowerCase())))
  // A file stays where it was edited here; and an old one where something refers to it yet, and no redirector is there.
  const kept = new Set(
    jobs.flatMap((job: Json) => [
      ...job.files.flatMap((one: Json) => (one.outcome === 'kept' ? one.file : [])),
      ...job.not_taken_away.map((one: Json) => one.file),
    ]),
  )
  const blocked = new Set(
    jobs.flatMap((job: Json) => job.files.flatMap((one: Json) => (one.outcome === 'kept' ? one.lineage_id : []))),
  )
  for (const [file, hash] of hashes) {
    const version = byHash.get(hash)
    // Where its current version could not be placed, an old file of a prop stays; what only an edited level needs was not asked for.
    if (!version || blocked.has(version.lineage_id) || (latest === undefined && !brought.has(file))) continue
    const other = files.get(version.lineage_id)
    if (other !== undefined && !kept.has(file) && !kept.has(other)) return `${file} and ${other} are two versions of one prop`
    files.set(version.lineage_id, file)
    const face = faces.get(version.lineage_id) as Json
    const name = nameOf(file).toLowerCase()
    // Another game moved a prop that both have, and this one has it here still; or another prop has the place by now; or an edited file refers to the old one.
    const placed = await placedAt(api, machine, name)
    const isTaken = placed !== undefined && placed !== version.lineage_id
    const isElsewhere = isTaken || (face.origin_path?.toLowerCase() !== name && (needed.has(name) || placed !== undefined))
    if (face.face_object_id !== version.object_id && machine.saved.get(file) !== hash && !kept.has(file) && !isElsewhere)
      return `${file} is version ${version.object_id} of ${version.lineage_id}, and ${face.face_object_id} is current`
  }
  return undefined
}

/** Its external actors are those of the newest set, but for what its person changed and nobody knows yet. */
export async function wrongActors(api: Caller, machine: Machine, report: string): Promise<string | undefined> {
  const level = levelOf(machine.game)
  const { entries } = (await api.get('/entries?limit=200')).body
  const hash = hashOf(machine.read(level))
  const { versions } = await find(api, [hash])
  const entry = entries.find((one: Json) => one.lineage_id === versions[0]?.lineage_id)
  if (!entry) return undefined
  const { members = [] } = (await api.get(`/entries/${entry.id}/closure?dependencies=current&project=${machine.game}`)).body
  const wanted = new Map<string, string>()
  for (const { origin_path, content_hash } of members as Json[])
    if (origin_path?.startsWith('/Game/__External')) wanted.set(`${origin_path.replace('/Game', 'Content')}.uasset`, content_hash)
  const isOwn = (file: string) => machine.removed.has(file) || machine.saved.get(file) === hashOf(machine.read(file))
  const isHere = (file: string) => existsSync(join(machine.root, file))
  const absent = [...wanted.keys()].find((file) => !isHere(file) && !machine.removed.has(file) && !report.includes(file))
  if (absent !== undefined) return `${absent} is an actor of ${level}, and is not here`
  // Bytes that the library does not know, whose push was undone, are an edit of this machine.
  const others = [...wanted].flatMap(([file, hash]) =>
    isHere(file) && hashOf(machine.read(file)) !== hash && !isOwn(file) ? file : [],
  )
  const other = (await knownOf(api, machine, others))[0]
  if (other !== undefined) return `${other} is not the actor that ${level} has`
  // Those of another game's level, which was sent here, are not looked at.
  const isOfLevel = (file: string) => isActor(file) && file.includes(`/${level.split('/').at(-1)?.replace('.umap', '')}/`)
  const strays = machine.packages.filter((file) => isOfLevel(file) && !wanted.has(file) && !isOwn(file))
  // What a restored library has lost is a file of this machine alone.
  const [stray] = await knownOf(api, machine, strays)
  return stray && `${stray} is here, and ${level} does not have it`
}

/** Those whose bytes are a version in the library. */
async function knownOf(api: Caller, machine: Machine, files: readonly string[]): Promise<string[]> {
  const hashes = new Map(files.map((file) => [file, hashOf(machine.read(file))]))
  if (hashes.size === 0) return []
  const { versions } = await find(api, [...new Set(hashes.values())])
  const known = new Set(versions.map((one: Json) => one.content_hash))
  return files.filter((file) => known.has(hashes.get(file)))
}
