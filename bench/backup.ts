/**
 * Times `ph server backup` of a running library beside `cp -r` of its files, and `ph server check` beside two `sha256sum` processes, and prints
 * one markdown table.
 *   PH_BENCH_ANCHORS=DIR bin/postgres.sh npx node bench/backup.ts WORK [--runs 5] [--databases pglite,postgres] [--files 2000] [--bytes 1.5G]
 * bench/README.md says what is needed and what came out.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { anchors, makeContent } from './content.ts'
import { ph, startPh } from './ph.ts'
import { type Command, ran, timed } from './processes.ts'
import { Results } from './table.ts'
import { workFolderOf } from './work-folder.ts'

const database = process.env.PH_TEST_DATABASE_URL
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    databases: { type: 'string', default: `pglite${database ? ',postgres' : ''}` },
    files: { type: 'string', default: '2000' },
    bytes: { type: 'string', default: '1.5G' },
  },
})
const work = workFolderOf(positionals)
const results = new Results()
const content = makeContent(join(work, 'unedited'), anchors(work), { files: Number(values.files), bytes: values.bytes })
const known: Record<string, { name: string; address: string | undefined }> = {
  pglite: { name: 'ph, PGlite', address: undefined },
  postgres: { name: 'ph, PostgreSQL', address: database },
}

/** What is in the cache of the system is read from there by all of them: the first round, which does not count, has read everything once. */
async function measure({ name, address }: { name: string; address: string | undefined }): Promise<void> {
  const scratch = join(work, 'backed-up')
  rmSync(scratch, { recursive: true, force: true })
  const server = await startPh(scratch, address, { isSilent: true })
  const own = {
    PH_URL: server.url,
    PH_API_KEY: server.key,
    PH_STATE_DIR: join(scratch, 'state'),
    PH_CACHE_DIR: join(scratch, 'cache'),
  }
  ran(ph(['push', content.folder, '--yes'], { ...own, PH_PREVIEWS: 'off' }))
  const [data, storage] = [join(scratch, 'data'), join(scratch, 'data', 'storage')]
  const files = readdirSync(storage, { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && /\/(blobs|media)\//.test(`${file.parentPath}/`),
  )
  const halves = [0, 1].map((half) => {
    const list = join(scratch, `half-${half}`)
    const paths = files.filter((_, index) => index % 2 === half).map((file) => join(file.parentPath, file.name))
    writeFileSync(list, paths.join('\0'))
    return list
  })
  const [one = '', other = ''] = halves
  const sums = 'xargs -0 sha256sum < "$0" > /dev/null & xargs -0 sha256sum < "$1" > /dev/null; wait'
  const [copy, backup] = [join(work, 'copy'), join(work, 'backups')]
  const jobs: [job: string, contender: string, command: Command][] = [
    ['backup', 'cp -r', { run: ['cp', '-r', storage, copy] }],
    ['backup, on the disk', 'cp -r, sync', { run: ['sh', '-c', 'cp -r "$0" "$1" && sync -f "$1"', storage, copy] }],
    ['backup, on the disk', name, ph(['server', 'backup', backup, '--data', data])],
    ['check', 'two sha256sum', { run: ['sh', '-c', sums, one, other] }],
    ['check', name, ph(['server', 'check', '--data', data])],
  ]
  for (let round = 0; round <= Number(values.runs); round++)
    for (const [job, contender, command] of jobs) {
      for (const made of [copy, backup]) rmSync(made, { recursive: true, force: true })
      ran({ run: ['sync'] })
      const sample = timed(command, scratch)
      if (round > 0) results.add(job, contender, sample)
      // The same backup is held against the copy alone, too.
      if (round > 0 && contender === name && job.startsWith('backup')) results.add('backup', name, sample)
    }
  for (const made of [copy, backup]) rmSync(made, { recursive: true, force: true })
  await server.end()
}

for (const one of values.databases.split(',').flatMap((name) => known[name] ?? [])) await measure(one)
process.stdout.write(`${results.markdown()}\n`)
