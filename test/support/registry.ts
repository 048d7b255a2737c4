/** A package registry of this machine: it serves what lies in node_modules, so that a real npm installs without a network. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import { type TarFile, tar } from '../../server/install/tar.ts'
import { afterFile } from './after-file.ts'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

export interface Registry {
  url: string
  /** Packages whose tarball someone fetched. */
  fetched: Set<string>
}

/** Ended after the test file. */
export async function startRegistry(): Promise<Registry> {
  const fetched = new Set<string>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1).split('?')[0] ?? '')
    const name = path.replace(/\/-\/package\.tgz$/, '')
    if (!existsSync(join(modules, name, 'package.json'))) return void response.writeHead(404).end('{}')
    if (name === path) return void response.setHeader('content-type', 'application/json').end(packument(name, url))
    fetched.add(name)
    response.setHeader('cache-control', 'public, max-age=86400, immutable')
    void pipeline(Readable.from(tar(filesOf(name))), createGzip({ level: 1 }), response).catch(() => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterFile(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, fetched }
}

function packument(name: string, url: string): string {
  const manifest = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as { version: string }
  const dist = { tarball: `${url}/${name}/-/package.tgz` }
  return JSON.stringify({
    name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
  })
}

/** What a program runs by; the headers and manuals of Node are larger than npm needs to see. */
function filesOf(name: string): TarFile[] {
  const folder = join(modules, name)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, facts: statSync(join(folder, path)) }))
    .filter(({ path, facts }) => facts.isFile() && !/^(include|share)\//.test(path))
    .map(({ path, facts }) => ({
      name: `package/${path.replaceAll('\\', '/')}`,
      content: { file: join(folder, path) },
      isExecutable: (facts.mode & 0o100) !== 0,
    }))
}
