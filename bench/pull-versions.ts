/**
 * Times `ph pull` of several versions in turn, out of one library: many small files and few large ones, into an empty project with
 * an empty content cache. Prints medians, and those of the rounds' ratios to the first version with their middle half.
 *   PH_BENCH_ANCHORS=DIR npx node bench/pull-versions.ts WORK CHECKOUT CHECKOUT… [--rounds 15]     all of them built
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { anchors, makeContent } from './content.ts'
import { type PhServer, person, ph, startPh } from './ph.ts'
import { ran, type Sample, timed } from './processes.ts'
import { median } from './table.ts'
import { workFolderOf } from './work-folder.ts'

/** No file is made larger than 100 MiB, so the large ones come to 480 MiB. */
const folders = {
  'many small': { files: 2000, bytes: '100M' },
  'few large': { files: 30, bytes: '900M' },
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '15' } } })
const [place = '', ...checkouts] = positionals
const work = workFolderOf([place])

for (const [what, size] of Object.entries(folders)) {
  const content = makeContent(join(work, what.replace(' ', '-')), anchors(work), size)
  const env = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
  const server = await startPh(join(work, 'library'), undefined, { env })
  try {
    ran(ph(['push', content.folder, '--json'], person(server, join(work, 'pusher'))))
    report(what, rounds(server, idsIn(server)))
  } finally {
    await server.end()
    rmSync(join(work, 'pusher'), { recursive: true, force: true })
  }
}

function idsIn(server: PhServer): string[] {
  const listed = JSON.parse(ran(ph(['api', 'GET', '/entries', '--paginate', '--json'], person(server, join(work, 'pusher')))))
  return ((Array.isArray(listed) ? listed : listed.entries) as { id: number }[]).slice(0, 1000).map(({ id }) => String(id))
}

/** The first round warms the page cache and is not counted; the order turns around from round to round. */
function rounds(server: PhServer, ids: readonly string[]): Sample[][] {
  const samples: Sample[][] = checkouts.map(() => [])
  for (let round = 0; round <= Number(values.rounds); round++) {
    const order = [...checkouts.keys()]
    for (const at of round % 2 === 0 ? order : order.reverse()) {
      const sample = pull(server, ids, resolve(checkouts[at] ?? ''))
      if (round === 0) continue
      samples[at]?.push(sample)
      process.stderr.write(`${JSON.stringify({ round, at, ...sample })}\n`)
    }
  }
  return samples
}

function pull(server: PhServer, ids: readonly string[], checkout: string): Sample {
  const folder = join(work, 'round')
  const project = join(folder, 'Pulled')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'Pulled.uproject'), '{"FileVersion": 3, "EngineAssociation": "5.4"}\n')
  ran({ run: ['sync', '-f', work] })
  const args = ['pull', ...ids, '--project', 'Pulled', '--into', project, '--json']
  const run = [process.execPath, join(checkout, 'bin/ph.mjs'), ...args]
  const sample = timed({ run, env: person(server, join(folder, 'person')) }, work)
  rmSync(folder, { recursive: true, force: true })
  return sample
}

function report(what: string, samples: readonly Sample[][]): void {
  for (const [at, own] of samples.entries()) {
    const parts = (['wallS', 'cpuS', 'peakMiB'] as const).map((part) => {
      const figure = (sample: Sample | undefined): number => sample?.[part] ?? 0
      const ratios = own.map((sample, round) => figure(sample) / figure(samples[0]?.[round]))
      return `${part} ${median(own.map(figure)).toFixed(2)}, ratio ${middleHalf(ratios)}`
    })
    process.stdout.write(`${what}, ${checkouts[at]}, ${own.length} rounds: ${parts.join('; ')}\n`)
  }
}

function middleHalf(values: readonly number[]): string {
  const ordered = values.toSorted((a, b) => a - b)
  const at = (share: number): string => (ordered[Math.round(share * (ordered.length - 1))] ?? 0).toFixed(2)
  return `${median(values).toFixed(2)} (${at(0.25)}–${at(0.75)})`
}
