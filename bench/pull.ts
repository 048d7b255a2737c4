/**
 * Times `ph pull` beside the tools a person would use instead, on one machine in one run, and prints one markdown table.
 *   PH_BENCH_ANCHORS=DIR bin/postgres.sh npx node bench/pull.ts WORK [--runs 5] [--jobs folder,status,order]
 *     [--databases pglite,nginx,postgres] [--files 2000] [--bytes 1.5G] [--many 100000]
 * bench/README.md says what is needed and what came out.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { anchors, makeContent } from './content.ts'
import { orderPull } from './job-order.ts'
import { type LibraryPlace, pullFolder } from './job-pull.ts'
import { statusOfMany } from './job-status.ts'
import type { Run } from './run.ts'
import { Results } from './table.ts'
import { workFolderOf } from './work-folder.ts'

const database = process.env.PH_TEST_DATABASE_URL

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    jobs: { type: 'string', default: 'folder,status,order' },
    databases: { type: 'string', default: `pglite,nginx${database ? ',postgres' : ''}` },
    files: { type: 'string', default: '2000' },
    bytes: { type: 'string', default: '1.5G' },
    many: { type: 'string', default: '100000' },
  },
})
const work = workFolderOf(positionals)
const run: Run = { place: { work, scripts: anchors(work) }, results: new Results(), runs: Number(values.runs) }
const known: Record<string, LibraryPlace> = {
  pglite: { name: 'ph, PGlite', database: undefined },
  nginx: { name: 'ph, PGlite, files by nginx', database: undefined, behindNginx: true },
  postgres: { name: 'ph, PostgreSQL', database },
}
const databases = values.databases.split(',').flatMap((name) => known[name] ?? [])

/** Where files are not what is timed. */
const direct = databases.filter(({ behindNginx }) => !behindNginx)

const jobs: Record<string, () => Promise<void>> = {
  folder: () => {
    const size = { files: Number(values.files), bytes: values.bytes }
    return pullFolder(makeContent(join(work, 'unedited'), run.place.scripts, size), databases, run)
  },
  status: () => {
    const size = { files: Number(values.many), bytes: `${Number(values.many) * 3000}` }
    return statusOfMany(makeContent(join(work, 'many'), run.place.scripts, size), direct, run)
  },
  order: async () => {
    for (const { name, database: address } of direct) await orderPull(name, address, run)
  },
}
for (const name of values.jobs.split(',')) {
  const job = jobs[name]
  if (!job) throw new Error(`--jobs knows ${Object.keys(jobs).join(', ')}, not ${name}`)
  await job()
}
process.stdout.write(`${run.results.markdown()}\n`)
