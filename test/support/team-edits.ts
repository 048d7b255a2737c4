/** What people do to the files of their machines, as the editor or a version control does it: nothing of it asks the library. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isActor, nameOf } from './team-machine.ts'
import type { Turn } from './team-turn.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const guidOf = (text: string) => createHash('md5').update(text).digest('hex').toUpperCase()

export async function edit(turn: Turn): Promise<undefined> {
  const file = turn.pick([...turn.props, turn.level].filter((one) => turn.has(one)))
  if (file === undefined) return
  await turn.machine.save({ [file]: turn.specOf(file) })
  turn.note(`saved ${file}`)
}

/** A new mesh, and the level that shows it. */
export async function add(turn: Turn): Promise<undefined> {
  const { machine, common, level } = turn
  const other = turn.pick(turn.props)
  if (other === undefined || !turn.has(level)) return
  const file = `Content/${machine.game}/SM_New${common.seed}_${common.next()}.uasset`
  await machine.save({ [file]: { imports: [nameOf(other)], payload: Buffer.from(file) } })
  const spec = turn.specOf(level)
  await machine.save({ [level]: { ...spec, imports: [...spec.imports, nameOf(file)] } })
  turn.note(`added ${file} to the level`)
}

/** As the editor does it: the package has a new GUID in its new place, and a redirector keeps the old one. */
export async function rename(turn: Turn): Promise<undefined> {
  const { machine, common } = turn
  const file = turn.pick(turn.props)
  if (file === undefined) return
  const spec = turn.specOf(file)
  const name = nameOf(file)
    .split('/')
    .at(-1)
    ?.replace(/_v\d+$/, '')
  const to = `Content/Moved/${name}_v${common.next()}.uasset`
  const guid = guidOf(`${common.seed} ${to}`)
  await machine.save({
    [to]: { ...spec, guid },
    [file]: { assetClass: 'ObjectRedirector', imports: [nameOf(to)], guid: spec.guid, payload: Buffer.from(to) },
  })
  turn.note(`renamed ${file} to ${to}`)
}

/** An actor is added to the level, moved or taken away; the level's own file stays as it is. */
export async function changeActors(turn: Turn): Promise<undefined> {
  const { machine, common, level } = turn
  if (!turn.has(level)) return
  const folder = level.replace('Content/', 'Content/__ExternalActors__/').replace('.umap', '')
  const here = machine.packages.filter(isActor)
  const kind = turn.random(3)
  const some = turn.pick(here)
  if (kind === 0 && some !== undefined && here.length > 1) {
    machine.remove(some)
    turn.note(`took ${some} away`)
    return
  }
  const file = kind === 1 && some !== undefined ? some : `${folder}/0/1A/ACTOR${common.next()}.uasset`
  const payload = Buffer.from(`${common.seed} ${machine.name} ${common.next()}`)
  await machine.save({ [file]: { assetClass: 'StaticMeshActor', imports: [turn.levelName], payload } })
  turn.note(`saved ${file}`)
}

/** A file is deleted here, whatever refers to it. */
export async function deleteFile(turn: Turn): Promise<undefined> {
  const file = turn.pick(turn.machine.packages.filter((one) => !isActor(one)))
  if (file === undefined) return
  rmSync(join(turn.machine.root, file))
  turn.machine.saved.delete(file)
  turn.machine.deleted.add(nameOf(file))
  turn.note(`deleted ${file} here`)
}

/** Puts another state of the content in place of the one that is here, as a version control does; the next time back again. */
export async function changeBranch(turn: Turn): Promise<undefined> {
  const { machine } = turn
  const content = join(machine.root, 'Content')
  if (!existsSync(content)) return
  const other = machine.branch
  const folder = temporaryFolder()
  cpSync(content, folder, { recursive: true, preserveTimestamps: true })
  machine.branch = { folder, saved: new Map(machine.saved) }
  if (!other) return
  rmSync(content, { recursive: true })
  cpSync(other.folder, content, { recursive: true })
  machine.saved.clear()
  for (const [file, hash] of other.saved) machine.saved.set(file, hash)
  turn.note('changed the branch')
}
