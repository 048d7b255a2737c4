/** Packs the client: the built program with the packages that it brings, as a tarball for npm. The same files make the same bytes. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type TarFile, tar } from './tar.ts'

/** The package.json of the packed client, as far as packing reads it; `bin/client-manifest.mjs` makes it. */
export interface ClientManifest {
  version: string
  bundleDependencies: readonly string[]
}

interface Packing {
  /** Holds `bin/`, `LICENSE` and `node_modules/`. */
  root: string
  /** What was built. */
  dist: string
  manifest: ClientManifest
  /** The tarball: a path, whose folder is made, or where its bytes go. */
  to: string | Writable
  /** Ends it in the middle. */
  signal?: AbortSignal
}

export interface Packed {
  version: string
  sha256: string
}

export async function packClient({ root, dist, manifest, to, signal }: Packing): Promise<Packed> {
  const lists = await Promise.all([
    treeOf(dist, 'dist'),
    ...manifest.bundleDependencies.map((name) => treeOf(join(root, 'node_modules', name), `node_modules/${name}`)),
  ])
  const files: TarFile[] = [
    { name: 'package.json', content: `${JSON.stringify(manifest, null, 2)}\n`, isExecutable: false },
    { name: 'LICENSE', content: { file: join(root, 'LICENSE') }, isExecutable: false },
    { name: 'bin/ph.mjs', content: { file: join(root, 'bin/ph.mjs') }, isExecutable: true },
    ...lists.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ]
  const inPackage = files.map((file) => ({ ...file, name: `package/${file.name}` }))
  if (typeof to === 'string') await mkdir(dirname(to), { recursive: true })
  const hash = createHash('sha256')
  const counted = new PassThrough().on('data', (bytes: Buffer) => hash.update(bytes))
  await pipeline(tar(inPackage), createGzip(), ofNoSystem, counted, typeof to === 'string' ? createWriteStream(to) : to, {
    signal,
  })
  return { version: manifest.version, sha256: hash.digest('hex') }
}

/** Types, source maps, C sources and manuals are nothing that a program runs by; a licence always stays. */
const isLeftOut = (name: string): boolean =>
  /\.(map|[cm]?tsx?|c|cc|cpp|h|hpp|gypi?)$/i.test(name) ||
  (/\.(md|markdown)$/i.test(name) && !/^(licen[cs]e|notice|copying)/i.test(name))

/** Folders that npm writes for itself, and what in `dist` is for servers only: the tarball, and the files of a new database. */
const isPassedOver = (name: string): boolean => ['.bin', 'dist/install', 'dist/new-database'].includes(name)

/** What a program runs by, of the files below a folder; `name` stands before their names. */
export async function treeOf(folder: string, name: string): Promise<TarFile[]> {
  const found = await readdir(folder, { withFileTypes: true })
  const lists = await Promise.all(
    found.map(async (one): Promise<TarFile[]> => {
      const path = join(folder, one.name)
      const inside = `${name}/${one.name}`
      if (one.isDirectory()) return isPassedOver(one.name) || isPassedOver(inside) ? [] : treeOf(path, inside)
      if (!one.isFile() || isLeftOut(one.name)) return []
      return [{ name: inside, content: { file: path }, isExecutable: ((await stat(path)).mode & 0o100) !== 0 }]
    }),
  )
  return lists.flat()
}

const systemByte = 9

/** The header of a gzip file names the system that made it (RFC 1952 section 2.3): unknown. */
async function* ofNoSystem(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let at = 0
  for await (const chunk of chunks) {
    if (at <= systemByte && at + chunk.length > systemByte) chunk[systemByte - at] = 255
    at += chunk.length
    yield chunk
  }
}
