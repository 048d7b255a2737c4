/** The packed client that this server hands out: the one that was built with it, or itself packed again. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../../contract/errors.ts'
import { ownTurn } from '../../system/event-loop.ts'
import { type ClientManifest, type Packed, packClient } from './pack.ts'

export interface ClientPackage extends Packed {
  sizeBytes: number
  /** Open for as long as the server runs, so that it stays the same bytes when the program is built anew beneath. */
  file: FileHandle
}

/** The folder of package.json: above the sources, or above dist/. */
function programRoot(): string {
  const above = fileURLToPath(new URL('../..', import.meta.url))
  return existsSync(join(above, 'package.json')) ? above : join(above, '..')
}

/** Two of them wait for each reader. */
const chunkBytes = 64 * 1024

/** All of it. A stream of the file itself would close it when its reader has gone, under the others that read it. */
export async function* bytesOf({ file, sizeBytes }: ClientPackage): AsyncGenerator<Buffer> {
  for (let at = 0; at < sizeBytes; ) {
    await ownTurn()
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at)
    if (bytesRead === 0) throw new Error(`the packed client ended after ${at} of ${sizeBytes} bytes`)
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** Its version, which is known without packing; undefined where there is nothing to hand out. */
export function offeredVersion(root: string = programRoot()): string | undefined {
  const built = join(root, 'dist/install/version.json')
  if (existsSync(built)) return readJson<Packed>(built).version
  const { version, bundleDependencies } = readJson<Partial<ClientManifest>>(join(root, 'package.json'))
  return bundleDependencies && version
}

/** Found or made once, and kept until the server ends. */
export class ClientPackages {
  /** Where a server that was installed keeps what it packs. */
  readonly #ownPath: string
  readonly #root: string
  readonly #ending = new AbortController()
  #opened: Promise<ClientPackage> | undefined

  constructor(dataDir: string, root: string = programRoot()) {
    this.#ownPath = join(dataDir, `${process.pid}-prop-house.tgz`)
    this.#root = root
  }

  /** Throws ApiError `NOT_FOUND` where the program was never built. */
  get(): Promise<ClientPackage> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Packs what takes seconds to pack before someone waits for it. A failure is told to who asks, after another try. */
  prepare(): void {
    void this.get().catch(() => {})
  }

  async close(): Promise<void> {
    this.#ending.abort()
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.file.close()
    rmSync(this.#ownPath, { force: true })
  }

  async #open(): Promise<ClientPackage> {
    const { packed, file } = (await this.#built()) ?? (await this.#packedAgain())
    return { ...packed, sizeBytes: (await file.stat()).size, file }
  }

  /** In a checkout, `npm run build` leaves it in dist/. */
  async #built() {
    const folder = join(this.#root, 'dist/install')
    if (!existsSync(join(folder, 'version.json'))) return undefined
    return { packed: readJson<Packed>(join(folder, 'version.json')), file: await open(join(folder, 'prop-house.tgz')) }
  }

  /** An installed program holds everything that it was installed from, and packing has one result. */
  async #packedAgain() {
    const manifest = readJson<Partial<ClientManifest>>(join(this.#root, 'package.json'))
    const { version, bundleDependencies } = manifest
    if (!version || !bundleDependencies)
      throw new ApiError(
        'NOT_FOUND',
        'This server has no client to hand out: its program was not built. Run npm run build there.',
      )
    const [path, root] = [this.#ownPath, this.#root]
    await mkdir(dirname(path), { recursive: true })
    const file = await open(path, 'w+')
    // Nobody but this process reads it, and a kill leaves nothing; on Windows a file that is open stays until the end.
    if (process.platform !== 'win32') rmSync(path)
    try {
      const packing = { root, dist: join(root, 'dist'), manifest: { ...manifest, version, bundleDependencies } }
      // A stream of the handle itself would keep it from being closed.
      const to = new Writable({ write: (bytes, _encoding, done) => void file.writeFile(bytes).then(() => done(), done) })
      return { packed: await packClient({ ...packing, to, signal: this.#ending.signal }), file }
    } catch (error) {
      await file.close()
      throw error
    }
  }
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T
