/** Lines of a compressed file, some at a time: as many as are quick to work on, and never more than memory has room for. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { damagedBackup } from './manifest.ts'

const page = { lines: 5_000, chars: 4 * 1024 * 1024 }
/** Of one line. The database takes no row that comes near it. */
const mostChars = 256 * 1024 * 1024

/** Throws what the disk says, or CONFLICT `damaged_backup` for what no compressed lines of text are. */
export async function* linesOf(path: string): AsyncGenerator<string[]> {
  const bytes = createGunzip()
  pipeline(createReadStream(path), bytes, () => {})
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let lines: string[] = []
  let chars = 0
  let rest = ''
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      const more = text.decode(chunk, { stream: true })
      rest += more
      if (rest.length > mostChars) throw damagedBackup(`${path} has a line that does not end.`)
      // What has no end yet is joined once, when the end is there.
      if (!more.includes('\n')) continue
      const split = rest.split('\n')
      chars += rest.length
      rest = split.pop() ?? ''
      for (const line of split) lines.push(line)
      if (lines.length < page.lines && chars < page.chars) continue
      yield lines
      lines = []
      chars = 0
    }
    rest += text.decode()
  } catch (error) {
    throw unreadable(path, error)
  }
  if (lines.length > 0) yield lines
  if (rest !== '') throw damagedBackup(`${path} ends in the middle of a line.`)
}

function unreadable(path: string, error: unknown): unknown {
  const code = String((error as NodeJS.ErrnoException)?.code)
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return damagedBackup(`${path} holds bytes that are no text.`)
  if (/^Z_|^ERR_(STREAM_PREMATURE_CLOSE|TRAILING_JUNK_AFTER_STREAM_END)/.test(code))
    return damagedBackup(`${path} cannot be unpacked: it is cut, or no such file.`)
  return error
}
