/**
 * Times `ph push` beside the tools a person would use instead, on one machine in one run, and prints one markdown table.
 *   PH_BENCH_ANCHORS=DIR bin/postgres.sh npx node bench/push.ts WORK [--runs 5] [--jobs folder,many,commit,start]
 *     [--tools restic,git-lfs,rclone,pglite,postgres] [--files 2000] [--bytes 1.5G] [--many 100000]
 * bench/README.md says what is needed and what came out.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Contender, gitLfs, rcloneSftp, restic } from './contenders.ts'
import { anchors, makeContent } from './content.ts'
import { commitManifest } from './job-commit.ts'
import { pushFolder } from './job-folder.ts'
import { pushMany } from './job-many.ts'
import { startUp } from './job-start.ts'
import { phContender } from './ph.ts'
import type { Run } from './run.ts'
import { Results } from './table.ts'
import { workFolderOf } from './work-folder.ts'

const PGLITE = 'ph, PGlite'
const POSTGRES = 'ph, PostgreSQL'
const database = process.env.PH_TEST_DATABASE_URL

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    jobs: { type: 'string', default: 'folder,many,commit,start' },
    tools: { type: 'string', default: `restic,git-lfs,rclone,pglite${database ? ',postgres' : ''}` },
    files: { type: 'string', default: '2000' },
    bytes: { type: 'string', default: '1.5G' },
    many: { type: 'string', default: '100000' },
  },
})
const work = workFolderOf(positionals)
const run: Run = { place: { work, scripts: anchors(work) }, results: new Results(), runs: Number(values.runs) }

const known: Record<string, Contender> = {
  restic,
  'git-lfs': gitLfs,
  rclone: rcloneSftp,
  pglite: phContender(PGLITE),
  postgres: phContender(POSTGRES, database),
}
const tools = values.tools.split(',').map((name) => {
  const tool = known[name]
  if (!tool) throw new Error(`--tools knows ${Object.keys(known).join(', ')}, not ${name}`)
  return tool
})
const own = tools.filter(({ name }) => name === PGLITE || name === POSTGRES)

const jobs: Record<string, () => Promise<void> | void> = {
  folder: () => {
    const size = { files: Number(values.files), bytes: values.bytes }
    return pushFolder(makeContent(join(work, 'project'), run.place.scripts, size), tools, run)
  },
  many: () => {
    const size = { files: Number(values.many), bytes: `${Number(values.many) * 3000}` }
    return pushMany(makeContent(join(work, 'many'), run.place.scripts, size), own, run)
  },
  commit: async () => {
    for (const { name } of own) await commitManifest(name, name === POSTGRES ? database : undefined, run)
  },
  start: () => startUp(run),
}
for (const name of values.jobs.split(',')) {
  const job = jobs[name]
  if (!job) throw new Error(`--jobs knows ${Object.keys(jobs).join(', ')}, not ${name}`)
  await job()
}
process.stdout.write(`${run.results.markdown()}\n`)
