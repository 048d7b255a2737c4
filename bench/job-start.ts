/** How long a person waits for any command at all: `ph --version` beside Node with an empty file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ph } from './ph.ts'
import { timed } from './processes.ts'
import type { Run } from './run.ts'

const ROUNDS = 25

export function startUp({ place, results }: Run): void {
  const empty = join(place.work, 'empty.mjs')
  writeFileSync(empty, '')
  const commands = {
    'node, an empty file': { run: [process.execPath, empty] },
    'ph --version': ph(['--version']),
  }
  for (let round = -2; round < ROUNDS; round++)
    for (const [name, command] of Object.entries(commands)) {
      const sample = timed(command, place.work)
      if (round >= 0) results.add('start', name, sample)
    }
}
