/** A thousand files of a project, checked out and given back as a person types it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePackage } from '../sample/package.ts'
import { type PhServer, person, ph } from './ph.ts'
import { ran } from './processes.ts'

export interface Typed {
  question: string
  seconds: number
  wanted: string
}

const files = 1000
const rounds = 5

/** The slowest of some rounds. The first one warms what can be warmed and does not count. */
export async function timeCheckOuts(server: Pick<PhServer, 'url' | 'key'>, scratch: string, part: string): Promise<Typed[]> {
  const question = `ph checkout of ${files.toLocaleString('en')} files`
  if (!question.includes(part)) return []
  rmSync(scratch, { recursive: true, force: true })
  const cwd = join(scratch, 'Project')
  await writeProject(cwd)
  const env = person(server, scratch)
  const typed = (...words: string[]): number => {
    const started = performance.now()
    const said = JSON.parse(ran({ ...ph([...words, '--json'], env), cwd }))
    const seconds = (performance.now() - started) / 1000
    const done = said.props ?? said.released
    if (done?.length !== files) throw new Error(`ph ${words[0]} did ${done?.length} of ${files}`)
    return seconds
  }
  ran({ ...ph(['push', 'Content'], env), cwd })
  const times = Array.from({ length: rounds + 1 }, () => ({
    out: typed('checkout', 'Content', '--note', 'New rings'),
    back: typed('release', 'Content'),
  })).slice(1)
  rmSync(scratch, { recursive: true, force: true })
  return [
    { question, seconds: Math.max(...times.map(({ out }) => out)), wanted: '3 s' },
    {
      question: `ph release of ${files.toLocaleString('en')} files`,
      seconds: Math.max(...times.map(({ back }) => back)),
      wanted: '',
    },
  ]
}

/** Kits of ten, in which one needs the others. */
async function writeProject(root: string): Promise<void> {
  const folder = join(root, 'Content', `Bench${Date.now()}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'Bench.uproject'), '{"EngineAssociation": "5.3"}')
  const below = `/Game/${folder.split('/').at(-1)}`
  for (let n = 0; n < files; n++) {
    const imports = n % 10 === 0 ? Array.from({ length: 9 }, (_, at) => `${below}/SM_Part${n + at + 1}`) : []
    const bytes = await writePackage({ packageName: `${below}/SM_Part${n}`, assetClass: 'StaticMesh', imports })
    writeFileSync(join(folder, `SM_Part${n}.uasset`), bytes)
  }
}
