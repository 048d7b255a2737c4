/** The folder that a benchmark works in, as its command line names it. */
import { mkdirSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'

/** Makes it where it is missing; without a name the run ends with how it is called. */
export function workFolderOf([folder]: readonly string[]): string {
  if (!folder) {
    process.stderr.write(`usage: bench/${basename(process.argv[1] ?? '')} WORK_FOLDER [options], see the head of the file\n`)
    process.exit(2)
  }
  mkdirSync(folder, { recursive: true })
  return realpathSync(folder)
}
