/**
 * A program that places files again and again, and each time someone saves one of them at another moment: before each call of the file
 * system that placing makes. Says as JSON where each save was found afterwards: `node edited-places.ts FOLDER`.
 */
import fs, { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

export interface SavedMoment {
  scenario: 'add' | 'replace' | 'overwrite'
  how: 'in place' | 'by renaming' | 'through an open file'
  /** The call before which it was saved. */
  call: string
  result: string
  /** Undefined: it is lost. */
  found: 'place' | 'held' | 'backup' | undefined
}

type Table = Record<string, (...args: unknown[]) => unknown>

const calls = ['link', 'rename', 'rm', 'open', 'write', 'read', 'ftruncate', 'fdatasync', 'lstat', 'fstat', 'close', 'mkdir']
const [, , root = ''] = process.argv
const { writeFileSync, renameSync, readFileSync, existsSync, mkdirSync, openSync, ftruncateSync, writeSync, closeSync } = fs
let before: ((call: string) => void) | undefined

for (const name of calls.map((call) => `${call}Sync`)) {
  const table = fs as unknown as Table
  const original = table[name] as Table[string]
  table[name] = (...args) => {
    const act = before
    // What is done in the moment makes calls of its own.
    before = undefined
    act?.(name)
    before = act
    return original(...args)
  }
}
syncBuiltinESMExports()
const { placeAll } = await import('../../client/pull/placing/place.ts')

async function saveAt(moment: Pick<SavedMoment, 'scenario' | 'how'>, step: number): Promise<SavedMoment | undefined> {
  const { scenario, how } = moment
  const folder = join(root, `${scenario} ${how} ${step}`)
  mkdirSync(join(folder, 'Content'), { recursive: true })
  const [staged, path, backup] = ['staged', 'Content/A', 'Backups/A'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(staged, 'new')
  if (scenario !== 'add') writeFileSync(path, 'old')
  const open = how === 'through an open file' ? openSync(path, 'r+') : undefined
  const replaced = scenario === 'add' ? undefined : fs.lstatSync(path, { bigint: true })
  let [steps, call, result] = [0, '', '']
  before = (name) => {
    if (++steps !== step) return
    call = name
    if (open !== undefined) {
      ftruncateSync(open)
      writeSync(open, 'saved', 0)
      return
    }
    if (how === 'in place') return writeFileSync(path, 'saved')
    writeFileSync(join(folder, 'saving'), 'saved')
    renameSync(join(folder, 'saving'), path)
  }
  const placement = { staged, path, replaced, backup: scenario === 'overwrite' ? backup : undefined }
  await placeAll([placement], (_index, placed) => {
    before = undefined
    result = placed.result
  })
  if (open !== undefined) closeSync(open)
  if (steps < step) return undefined
  const places = { place: path, held: `${staged}.old`, backup }
  const [found] = Object.entries(places).find(([, at]) => existsSync(at) && readFileSync(at, 'utf8') === 'saved') ?? []
  return { ...moment, call, result, found: found as SavedMoment['found'] }
}

const moments: SavedMoment[] = []
for (const scenario of ['add', 'replace', 'overwrite'] as const)
  for (const how of ['in place', 'by renaming', 'through an open file'] as const)
    for (let step = 1, isOver = scenario === 'add' && how === 'through an open file'; !isOver; step++) {
      const moment = await saveAt({ scenario, how }, step)
      if (moment) moments.push(moment)
      isOver = moment === undefined
    }
await promises.writeFile(join(root, 'moments.json'), JSON.stringify(moments))
