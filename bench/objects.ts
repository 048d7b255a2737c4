/**
 * Times `ph push` and `ph pull` with files in object storage beside `rclone copy` to and from the same store, and prints one markdown table.
 *   PH_BENCH_ANCHORS=DIR bin/object-storage.sh bin/postgres.sh npx node bench/objects.ts WORK [--runs 3] [--databases pglite,postgres]
 *     [--files 2000] [--bytes 600M]
 * bench/README.md says what is needed and what came out.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { anchors, makeContent } from './content.ts'
import { objects } from './job-objects.ts'
import type { Run } from './run.ts'
import { Results } from './table.ts'
import { workFolderOf } from './work-folder.ts'

const { PH_STORAGE_URL = '', PH_STORAGE_KEY = '', PH_STORAGE_SECRET = '', PH_TEST_DATABASE_URL: database } = process.env
if (PH_STORAGE_URL === '') throw new Error('Run it within bin/object-storage.sh.')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    databases: { type: 'string', default: database ? 'postgres' : 'pglite' },
    files: { type: 'string', default: '2000' },
    // The store keeps what it holds in memory, twice.
    bytes: { type: 'string', default: '600M' },
  },
})
const work = workFolderOf(positionals)
const run: Run = { place: { work, scripts: anchors(work) }, results: new Results(), runs: Number(values.runs) }
const known: Record<string, { name: string; database: string | undefined }> = {
  pglite: { name: 'ph, PGlite', database: undefined },
  postgres: { name: 'ph, PostgreSQL', database },
}
const content = makeContent(join(work, 'objects-project'), run.place.scripts, {
  files: Number(values.files),
  bytes: values.bytes,
})
const databases = values.databases.split(',').flatMap((name) => known[name] ?? [])
await objects(content, { store: { PH_STORAGE_URL, PH_STORAGE_KEY, PH_STORAGE_SECRET }, databases }, run)
process.stdout.write(`${run.results.markdown()}\n`)
