// The client that a server hands out: which one, how it may be kept, how it is packed, and the page that says how to get it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSettings } from '../../server/config.ts'
import { type ClientManifest, packClient } from '../../server/install/pack.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const publicUrl = 'https://props.example.com/house'
const server = await startTestServer()
const proxied = await startTestServer({ publicUrl })
const { url, slug } = await server.addWorkspace()
const offer = (await (await fetch(`${url}/install/version`)).json()) as { version: string; sha256: string }
const tarball = `${url}/install/prop-house.tgz`

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('without a key, at the bare address and at that of a workspace, the tarball is the one that the version names', async () => {
  for (const base of [server.url, url]) {
    expect(await (await fetch(`${base}/install/version`)).json()).toEqual(offer)
    const answer = await fetch(`${base}/install/prop-house.tgz`)
    expect(answer.headers.get('content-type')).toBe('application/gzip')
    expect(sha256(await answer.bytes())).toBe(offer.sha256)
  }
  expect((await fetch(`${server.url}/w/nobody/install/version`)).status).toBe(404)
})

test('caches ask again, unless the address names the hash; who has it already gets nothing', async () => {
  const headersOf = async (address: string, headers = {}) => fetch(address, { method: 'HEAD', headers })
  const plain = await headersOf(tarball)
  expect(plain.headers.get('cache-control')).toBe('no-cache')
  expect(plain.headers.get('etag')).toBe(`"${offer.sha256}"`)
  expect(Number(plain.headers.get('content-length'))).toBeGreaterThan(1_000_000)
  expect((await headersOf(`${tarball}?sha256=${offer.sha256}`)).headers.get('cache-control')).toContain('immutable')
  expect((await headersOf(`${tarball}?sha256=${'0'.repeat(64)}`)).headers.get('cache-control')).toBe('no-cache')
  for (const known of [`"${offer.sha256}"`, `"other", W/"${offer.sha256}"`]) {
    const answer = await fetch(tarball, { headers: { 'if-none-match': known } })
    expect([answer.status, await answer.text()]).toEqual([304, ''])
  }
})

test('many fetch it, at once and one after the other, some give up, and each of the others gets all of it', async () => {
  const hashOf = async () => sha256(await (await fetch(tarball)).bytes())
  const giveUp = async () => (await fetch(tarball)).body?.cancel()
  const [, ...hashes] = await Promise.all([giveUp(), ...Array.from({ length: 6 }, hashOf)])
  await giveUp()
  for (let time = 0; time < 3; time++) hashes.push(await hashOf())
  expect(new Set(hashes)).toEqual(new Set([offer.sha256]))
})

test('the tarball holds what was built and its licences, and no sources, tests, types or maps of ours', async () => {
  const answer = await fetch(tarball)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip'])
  const file = join(temporaryFolder({ 'ph.tgz': await answer.bytes() }), 'ph.tgz')
  const names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n')
  expect(names).toEqual(
    expect.arrayContaining(['package/bin/ph.mjs', 'package/dist/cli/main.js', 'package/node_modules/commander/LICENSE']),
  )
  expect(names.filter((name) => !/^package\/(bin\/ph\.mjs|LICENSE|package\.json|dist\/|node_modules\/)/.test(name))).toEqual([])
  expect(names.filter((name) => /\.(ts|tsx|map)$|^package\/dist\/install|\/\.bin\//.test(name))).toEqual([])
  const manifest = JSON.parse(execFileSync('tar', ['xzOf', file, 'package/package.json'], { encoding: 'utf8' }))
  expect(manifest).toMatchObject({ name: 'prop-house', version: offer.version, bin: { ph: 'bin/ph.mjs' } })
  expect(Object.keys(manifest)).not.toContain('scripts')
})

test('the same files make the same bytes, wherever they lie and whenever they were written; an executable stays one', async () => {
  const pack = async () => {
    const root = temporaryFolder({
      LICENSE: 'MIT',
      'bin/ph.mjs': 'start',
      'dist/cli/main.js': 'main',
      'dist/cli/main.js.map': '{}',
      [`node_modules/deep/${'folder/'.repeat(15)}file.js`]: 'deep',
      'node_modules/deep/tool': 'tool',
      'node_modules/deep/README.md': 'manual',
    })
    execFileSync('chmod', ['+x', join(root, 'node_modules/deep/tool')])
    const to = join(root, 'out/client.tgz')
    const manifest: ClientManifest = { version: '1.0.0', bundleDependencies: ['deep'] }
    const packed = await packClient({ root, dist: join(root, 'dist'), manifest, to })
    return { packed, to }
  }
  const [one, other] = [await pack(), await pack()]
  expect(one.packed).toEqual(other.packed)
  expect(sha256(readFileSync(one.to))).toBe(one.packed.sha256)
  const into = temporaryFolder()
  execFileSync('tar', ['xzf', one.to, '-C', into])
  expect(readFileSync(join(into, `package/node_modules/deep/${'folder/'.repeat(15)}file.js`), 'utf8')).toBe('deep')
  expect(statSync(join(into, 'package/node_modules/deep/tool')).mode & 0o111).toBe(0o111)
  expect(execFileSync('find', [into, '-name', '*.map', '-o', '-name', '*.md'], { encoding: 'utf8' })).toBe('')
})

test('the page needs no sign-in and says the commands with the address of the workspace, for each system', async () => {
  const words = async (page: string) => (await (await fetch(page)).text()).replaceAll(/<\/?span[^>]*>/g, '')
  const html = await words(`${url}/install`)
  expect(html).toContain(`npm install -g ${server.url}/w/${slug}/install/prop-house.tgz<`)
  expect(html).toContain(`ph login --url ${server.url}/w/${slug}<`)
  for (const system of ['Windows', 'macOS', 'Linux']) expect(html).toContain(`<h2>${system}</h2>`)
  expect(await words(`${proxied.url}/install`)).toContain(`npm install -g ${publicUrl}/install/prop-house.tgz<`)
})

test('the page says that plain HTTP to another machine can be read and changed on the way', async () => {
  const pageOf = async (of: string) => {
    const { url } = await startTestServer({ publicUrl: of })
    return (await fetch(`${url}/install`)).text()
  }
  expect(await pageOf('http://props.example.com')).toContain(
    'This address is plain HTTP: the program, your key and your files travel unencrypted',
  )
  for (const safe of [publicUrl, 'http://localhost:7410']) expect(await pageOf(safe)).not.toContain('plain HTTP')
})

test('an address that a shell would read as more than an address never gets into a command', () => {
  for (const odd of [
    'https://x.example/$(id)',
    'https://x.example/`id`',
    'https://x.example/a;id',
    "https://x.example/'",
    'https://x.example/?a&b',
  ])
    expect(() => readSettings({}, { PH_PUBLIC_URL: odd }, fileURLToPath(new URL('.', import.meta.url)))).toThrow(/PH_PUBLIC_URL/)
})
