/** The folder that every tool pushes, made and edited by the public generator that PH_BENCH_ANCHORS holds. */
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from './processes.ts'

const repository = join(import.meta.dirname, '..')

export interface Content {
  /** The `Content` folder of an Unreal project, made anew when it was not there. */
  folder: string
  files: number
  /** Edits one file in a hundred; the same round edits the same files in the same places. */
  edit(round: number): void
}

/** Copies the anchor scripts beside our node_modules: their own folder may be read-only and has none. */
export function anchors(work: string): string {
  const source = process.env.PH_BENCH_ANCHORS
  if (!source || !existsSync(join(source, 'make-content.mjs')))
    throw new Error('Set PH_BENCH_ANCHORS to the folder that holds make-content.mjs and push-floor.mjs.')
  const folder = join(work, 'anchors')
  mkdirSync(folder, { recursive: true })
  for (const script of ['make-content.mjs', 'push-floor.mjs']) cpSync(join(source, script), join(folder, script), { force: true })
  if (!existsSync(join(folder, 'node_modules'))) symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** `bytes` as make-content.mjs takes it: 1.5G, 300M. */
export function makeContent(project: string, scripts: string, { files, bytes }: { files: number; bytes: string }): Content {
  const folder = join(project, 'Content')
  const script = join(scripts, 'make-content.mjs')
  if (!existsSync(folder)) {
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, 'Bench.uproject'), '{"FileVersion": 3, "EngineAssociation": "5.3"}\n')
    ran({ run: [process.execPath, script, folder, '--files', String(files), '--bytes', bytes] })
  }
  const some = String(Math.ceil(files / 100))
  return {
    folder,
    files,
    edit: (round) => void ran({ run: [process.execPath, script, folder, '--touch', some, '--round', String(round)] }),
  }
}
