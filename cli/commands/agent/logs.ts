/** `ph agent logs`. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { agentFolder } from '../../../client/folders.ts'
import { logWords } from '../../../system/log-words.ts'
import { command, flag, value } from '../../command.ts'
import { foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { failed, wholeNumber } from '../../refusal.ts'

const lookMs = 300

export const logCommands = [
  command({
    usage: 'agent logs',
    summary: 'Show what the agent did lately',
    description: 'With --json each line is one object of JSON.',
    options: {
      follow: flag('-f, --follow', 'go on with what it does now, until Ctrl-C'),
      lines: value('--lines <n>', 'so many of before (default 50)', wholeNumber('--lines', 0, 100_000)),
    },
    examples: [
      ['agent logs --follow', 'watch it work'],
      ['agent logs --json --lines 1000 | jq -r .msg', 'for a program'],
    ],
    async run(context, { follow, lines: wanted = 50 }) {
      const path = join(agentFolder(foldersOf(context)), 'agent.log')
      if (!statSync(path, { throwIfNoEntry: false }) && !follow)
        throw failed('NO_LOG', `There is no ${path}: no agent ever ran here.`, 'Start it with `ph agent start`.')
      const file = new GrowingFile(path)
      const before = [...readPrevious(path), ...file.read()]
      await print(context, wanted === 0 ? [] : before.slice(-wanted))
      while (follow) {
        await context.pause(lookMs, context.signal)
        await print(context, file.read())
      }
      return undefined
    },
  }),
]

async function print({ out }: Context, lines: readonly string[]): Promise<void> {
  for (const line of lines) await out.event(recordIn(line), () => inWords(line))
}

/** A line that a full disk or a killed agent left half is told as it is. */
function recordIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

function inWords(line: string): readonly string[] {
  try {
    return [logWords(line).replace(/\n$/, '')]
  } catch {
    return [line]
  }
}

const wholeLines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

function readPrevious(path: string): string[] {
  try {
    return wholeLines(readFileSync(`${path}.1`, 'utf8'))
  } catch {
    return []
  }
}

/** What was added since the last look; a file that was put aside begins anew. */
class GrowingFile {
  readonly #path: string
  #inode = 0n
  #at = 0
  #rest = ''

  constructor(path: string) {
    this.#path = path
  }

  read(): string[] {
    let fd: number
    try {
      fd = openSync(this.#path, 'r')
    } catch {
      return []
    }
    try {
      const { ino, size } = fstatSync(fd, { bigint: true })
      const before = ino === this.#inode ? [] : this.#restOfPrevious()
      if (ino !== this.#inode || Number(size) < this.#at) this.#begin(ino)
      return [...before, ...this.#readOn(fd, Number(size))]
    } finally {
      closeSync(fd)
    }
  }

  #readOn(fd: number, size: number): string[] {
    const bytes = Buffer.alloc(size - this.#at)
    this.#at += readSync(fd, bytes, 0, bytes.length, this.#at)
    const lines = `${this.#rest}${bytes.toString('utf8')}`.split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.filter((line) => line !== '')
  }

  /** What was written between the last look and its being put aside. */
  #restOfPrevious(): string[] {
    try {
      const fd = openSync(`${this.#path}.1`, 'r')
      try {
        const { ino, size } = fstatSync(fd, { bigint: true })
        return ino === this.#inode ? this.#readOn(fd, Number(size)) : []
      } finally {
        closeSync(fd)
      }
    } catch {
      return []
    }
  }

  #begin(inode: bigint): void {
    this.#inode = inode
    this.#at = 0
    this.#rest = ''
  }
}
