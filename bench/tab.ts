/**
 * How long Tab takes in a shell: `ph __complete`, as the scripts of the shells run it, beside Node with an empty file, in turn. Commands,
 * names out of the mirror, and names from the server where there is no mirror. Prints one markdown table.
 *   npx node bench/tab.ts WORK [--entries 10000] [--rounds 25]
 * bench/README.md says what came out.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { placeOf } from './made-place.ts'
import { person, ph } from './ph.ts'
import { type Command, ran } from './processes.ts'
import { nouns } from './prop-words.ts'
import { median } from './table.ts'
import { workFolderOf } from './work-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { entries: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '25' } },
})
const work = workFolderOf(positionals)
const place = await placeOf({ work, entries: Number(values.entries), database: undefined })
const server = await place.start({ isSilent: true })
try {
  const empty = join(work, 'empty.mjs')
  writeFileSync(empty, '')
  const [mirrored, remote] = [person(server, join(work, 'mirrored')), person(server, join(work, 'remote'))]
  ran(ph(['mirror', 'update'], mirrored))
  const name = String(nouns[0])
  const rows: Record<string, Command> = {
    'node, an empty file': { run: [process.execPath, empty] },
    commands: ph(['__complete', '--', 'sea'], mirrored),
    'names, from the mirror': ph(['__complete', '--', 'show', name], mirrored),
    'names, from the server': ph(['__complete', '--', 'show', name], remote),
  }
  for (const [row, command] of Object.entries(rows))
    if (row !== 'node, an empty file' && ran(command) === '') throw new Error(`${row}: nothing was completed`)
  const taken = new Map<string, number[]>(Object.keys(rows).map((row) => [row, []]))
  for (let round = -2; round < Number(values.rounds); round++)
    for (const [row, command] of Object.entries(rows)) {
      const startedMs = performance.now()
      ran(command)
      if (round >= 0) taken.get(row)?.push(performance.now() - startedMs)
    }
  const floor = taken.get('node, an empty file') ?? []
  process.stdout.write('| Tab | ms, median (min–max) | ÷ node |\n|---|---|---|\n')
  for (const [row, all] of taken) {
    const range = `${median(all).toFixed(0)} (${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)})`
    process.stdout.write(`| ${row} | ${range} | ${median(all.map((ms, at) => ms / (floor[at] ?? 1))).toFixed(1)} |\n`)
  }
} finally {
  await server.stop()
  await place.remove()
}
