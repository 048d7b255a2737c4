/**
 * Times a level of many actors, each a file of its own, between two people: pushing after one actor was moved, and pulling that into a project
 * that has the rest; beside both with nothing changed, whose time is that of looking at the folder and asking.
 *   npx node bench/level.ts WORK [--actors 20000] [--rounds 7]      built; a second pass on PostgreSQL within bin/postgres.sh
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { levelSizes, makeSampleLevel, moveSampleActor } from '../sample/level.ts'
import { type PhServer, person, ph, startPh } from './ph.ts'
import { ran, type Sample, timed } from './processes.ts'
import { median } from './table.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { actors: { type: 'string', default: String(levelSizes.world) }, rounds: { type: 'string', default: '7' } },
})
const work = workFolderOf(positionals)
const database = process.env.PH_TEST_DATABASE_URL
const kinds = ['push, nothing changed', 'push, one moved', 'pull, one moved', 'pull, nothing changed'] as const

for (const [name, address] of [['PGlite', undefined], ...(database ? [['PostgreSQL', database] as const] : [])] as const) {
  const env = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
  const server = await startPh(join(work, 'library'), address, { env })
  try {
    const samples = await measure(server)
    for (const kind of kinds) {
      const found = samples[kind]
      const of = (field: 'wallS' | 'cpuS' | 'serverCpuS' | 'peakMiB') => median(found.map((one) => one[field] ?? 0)).toFixed(2)
      console.log(
        `${name}  ${kind.padEnd(22)}  ${of('wallS')} s  ph ${of('cpuS')} s CPU, ${of('peakMiB')} MiB  server ${of('serverCpuS')} s CPU`,
      )
    }
  } finally {
    await server.end()
    for (const folder of ['ada', 'bob']) rmSync(join(work, folder), { recursive: true, force: true })
  }
}

function projectOf(server: PhServer, who: string) {
  const root = join(work, who, 'Harbor')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'Harbor.uproject'), '{"FileVersion": 3, "EngineAssociation": "5.3"}\n')
  const command = (args: readonly string[]) => ({ ...ph(args, person(server, join(work, who, 'person'))), cwd: root })
  return { root, command }
}

async function measure(server: PhServer): Promise<Record<(typeof kinds)[number], Sample[]>> {
  const [ada, bob] = [projectOf(server, 'ada'), projectOf(server, 'bob')]
  const { actors } = await makeSampleLevel(ada.root, { actors: Number(values.actors) })
  ran(ada.command(['push', '--json']))
  const [entry] = JSON.parse(ran(ada.command(['api', 'GET', '/entries', '--json']))).entries as { id: number }[]
  const pull = ['pull', String(entry?.id), '--project', 'Harbor', '--json']
  ran(bob.command(pull))
  const samples = Object.fromEntries(kinds.map((kind) => [kind, [] as Sample[]])) as Record<(typeof kinds)[number], Sample[]>
  for (let round = 0; round <= Number(values.rounds); round++) {
    // The first one warms what is read, and is not counted.
    const time = (kind: (typeof kinds)[number], command: Parameters<typeof timed>[0]) => {
      const sample = timed(command, work, server)
      if (round > 0) samples[kind].push(sample)
      process.stderr.write(`${JSON.stringify({ round, kind, ...sample })}\n`)
    }
    time('push, nothing changed', ada.command(['push', '--json']))
    await moveSampleActor(ada.root, (round * 7919) % actors.length, { seed: `moved in round ${round}` })
    time('push, one moved', ada.command(['push', '--json']))
    time('pull, one moved', bob.command(pull))
    time('pull, nothing changed', bob.command(pull))
  }
  return samples
}
