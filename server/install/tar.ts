/** A tar archive that depends on nothing but what it holds: no owners, no times, one spelling (POSIX.1-1988 ustar). */
import { readFile } from 'node:fs/promises'

export interface TarFile {
  /** With forward slashes; at most 255 letters, and those of ASCII. */
  name: string
  content: string | { file: string }
  isExecutable: boolean
}

const blockBytes = 512
/** What npm writes, in seconds: some programs take zero for missing. */
const changedAt = 499_162_500

export async function* tar(files: readonly TarFile[]): AsyncGenerator<Buffer> {
  for (const { name, content, isExecutable } of files) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : await readFile(content.file)
    yield header(name, bytes.length, isExecutable ? 0o755 : 0o644)
    yield bytes
    yield Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)
  }
  yield Buffer.alloc(2 * blockBytes)
}

function header(name: string, size: number, mode: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  const [prefix, rest] = splitName(name)
  block.write(rest, 0, 'ascii')
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(changedAt, 11), 136)
  block.write(' '.repeat(8), 148)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  block.write(prefix, 345, 'ascii')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\u0000 `, 148)
  return block
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** Up to 100 letters stand in one field; of a longer name the folders in front go into another one of 155. */
function splitName(name: string): [prefix: string, rest: string] {
  if (name.length <= 100) return ['', name]
  const cut = name.indexOf('/', name.length - 101)
  if (cut < 1 || cut > 155) throw new Error(`The name ${name} does not fit into a tar archive.`)
  return [name.slice(0, cut), name.slice(cut + 1)]
}
