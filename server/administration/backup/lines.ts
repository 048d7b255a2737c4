/** Lines of a compressed file, some at a time: as many as are quick to work on, and never more than memory has room for. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { damagedBackup } from './manifest.ts'

const page = { lines: 5_000, chars: 4 * 1024 * 1024 }
/** Of one line. The database takes no row that comes near it. */
const mostChars = 256 * 1024 * 1024

/** Throws what the disk says, or that it is no such file. */
export async function* linesOf(path: string): AsyncGenerator<string[]> {
  const text = createGunzip().setEncoding('utf8')
  pipeline(createReadStream(path), text, () => {})
  let lines: string[] = []
  let chars = 0
  let rest = ''
  for await (const chunk of text as AsyncIterable<string>) {
    rest += chunk
    if (rest.length > mostChars) throw damagedBackup(`${path} has a line that does not end.`)
    // What has no end yet is joined once, when the end is there.
    if (!chunk.includes('\n')) continue
    const split = rest.split('\n')
    chars += rest.length
    rest = split.pop() ?? ''
    for (const line of split) lines.push(line)
    if (lines.length < page.lines && chars < page.chars) continue
    yield lines
    lines = []
    chars = 0
  }
  if (lines.length > 0) yield lines
}
