/**
 * The hashing phase of a push alone: finds every file below a folder, hashes it and reads what it is, with the threads of the
 * built program, and prints the seconds. `node bench/hash-phase.ts FOLDER`
 */
import { join } from 'node:path'

const built = (module: string): string => new URL(`../dist/client/${module}.js`, import.meta.url).href
const { findNamedPaths }: typeof import('../client/project/paths.ts') = await import(built('project/paths'))
const { scan }: typeof import('../client/project/scan.ts') = await import(built('project/scan'))
const { readFiles }: typeof import('../client/project/read-files.ts') = await import(built('project/read-files'))

const started = performance.now()
const { root, starts } = findNamedPaths(process.argv.slice(2))
const { files } = await scan(root, starts)
const jobs = files.map(({ file, size }) => ({ path: join(root, file), size }))
await readFiles(jobs, {
  onFile: (_, result) => {
    if ('unread' in result) throw new Error(`A file could not be read: ${result.code}`)
  },
})
process.stdout.write(`${(performance.now() - started) / 1000}\n`)
