/** The second half of the main job: a thousand props with all they need into an empty project, again from the cache, and once more. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../contract/limits.ts'
import type { Content } from './content.ts'
import { placeOfNginx, startNginx } from './nginx.ts'
import { type PhServer, person, ph, startPh } from './ph.ts'
import { type Command, ran, timed } from './processes.ts'
import { copy, curl, emptied, lfsPull, type PullContender, resticRestore } from './pull-contenders.ts'
import type { Run } from './run.ts'

const ALL = 'pull into an empty project'
const WARM = 'pull from a warm content cache'
const SECOND = 'pull into a second project'
const AGAIN = 'pull, nothing to do'

export interface LibraryPlace {
  name: string
  database: string | undefined
  /** nginx sends its files. */
  behindNginx?: boolean
}

/** A library that holds the folder, and the ids of the entries that are pulled. */
interface Library {
  name: string
  server: PhServer
  ids: string[]
}

/**
 * A file system may look at every file that was deleted within the last minute when it makes one (ext4 without a journal does),
 * so what a round wrote is deleted at its end, and the next one waits.
 */
const forgottenMs = 61_000

/** One round of every tool after the other; the first round warms the page cache and is not counted. */
export async function pullFolder(
  content: Content,
  databases: readonly LibraryPlace[],
  { place, results, runs }: Run,
): Promise<void> {
  const libraries: Library[] = []
  const reference = join(place.work, 'reference')
  try {
    for (const one of databases) libraries.push(await filled(content, one, place.work))
    const [first] = libraries
    if (!first) return
    ran(pullInto(first, emptied(reference), join(place.work, 'person', 'reference')))
    const others = await Promise.all(
      [curl, resticRestore, lfsPull, copy].map(async (tool, index) => ({
        name: tool.name,
        jobs: tool === copy ? [WARM, SECOND] : [ALL],
        ready: await (tool as PullContender).start(join(reference, 'Content'), join(place.work, `peer-${index}`)),
      })),
    )
    const written = emptied(join(place.work, 'round'))
    for (let round = 0; round <= runs; round++) {
      const add = (jobs: readonly string[], name: string, command: Command): void => {
        evenOut(place.work)
        const sample = timed(command, place.work)
        if (round > 0) for (const job of jobs) results.add(job, name, sample)
      }
      for (const [index, library] of libraries.entries())
        for (const [job, command] of pulls(library, join(written, String(index)))) add([job], library.name, command())
      for (const [index, { name, ready, jobs }] of others.entries()) add(jobs, name, ready.pull(join(written, `peer-${index}`)))
      rmSync(written, { recursive: true, force: true })
      await sleep(forgottenMs)
    }
    for (const { ready } of others) await ready.end()
  } finally {
    for (const { server } of libraries) await server.end()
  }
}

/** What earlier tools wrote is on the disk, and files of this size are made of memory that the machine has touched lately, who comes. */
function evenOut(folder: string): void {
  const ballast = join(folder, 'ballast')
  ran({ run: ['sh', '-ec', `sync -f '${folder}'; head -c 3G /dev/zero >'${ballast}'; rm '${ballast}'`] })
}

async function filled(content: Content, { name, database, behindNginx }: LibraryPlace, work: string): Promise<Library> {
  const scratch = join(work, `library-${name.replaceAll(/\W/g, '')}`)
  const env = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
  const server = behindNginx ? await startBehindNginx(scratch, database, env) : await startPh(scratch, database, { env })
  ran(ph(['push', content.folder, '--json'], person(server, join(scratch, 'person'))))
  const listed = JSON.parse(ran(ph(['api', 'GET', '/entries', '--paginate', '--json'], person(server, join(scratch, 'person')))))
  const entries = (Array.isArray(listed) ? listed : listed.entries) as { id: number }[]
  return { name, server, ids: entries.slice(0, limits.pullJob.entries).map(({ id }) => String(id)) }
}

async function startBehindNginx(scratch: string, database: string | undefined, env: Record<string, string>): Promise<PhServer> {
  const { port, env: accel } = await placeOfNginx()
  const server = await startPh(scratch, database, { env: { ...env, ...accel } })
  const nginx = await startNginx(`${scratch}-nginx`, { port, to: server.url, files: join(scratch, 'data', 'storage') })
  const end = async (): Promise<void> => {
    await nginx.stop()
    await server.end()
  }
  return { ...server, url: `http://127.0.0.1:${port}`, end }
}

/** What one person does one after the other, in a folder that is not there before. */
function pulls(library: Library, folder: string): [job: string, command: () => Command][] {
  const [someone, first] = [join(folder, 'person'), join(folder, 'first')]
  return [
    [ALL, () => pullInto(library, first, someone)],
    [AGAIN, () => pullInto(library, first, someone)],
    [SECOND, () => pullInto(library, join(folder, 'second'), someone)],
    [WARM, () => pullInto(library, emptied(first), someone)],
  ]
}

/** A project of its own, made when it is not there. */
function pullInto({ server, ids }: Library, project: string, someone: string): Command {
  if (!existsSync(project)) mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'Pulled.uproject'), '{"FileVersion": 3, "EngineAssociation": "5.4"}\n')
  return ph(['pull', ...ids, '--project', 'Pulled', '--into', project, '--json'], person(server, someone))
}
