/** Servers behind certificates that Node does not know: what the system trusts is trusted, and every refusal has words. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { signedIn } from '../../support/ph.ts'
import { phProcess } from '../../support/ph-process.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { certificate, privateKey } from '../../support/tls-identity.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()
const { url: library, keys } = await server.addWorkspace()
const { port: libraryPort, pathname } = new URL(library)

/** Gives its port. */
async function startTls(): Promise<number> {
  const front = createServer({ key: privateKey, cert: certificate }, (socket) => {
    const onward = connect(Number(libraryPort), '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    socket.on('error', () => onward.destroy())
    onward.on('error', () => socket.destroy())
  }).listen(0)
  await once(front, 'listening')
  onTestFinished(() => void front.close())
  return (front.address() as AddressInfo).port
}

/** The certificate of the server, as a file of authorities. */
function authorities(): string {
  const file = join(temporaryFolder(), 'authorities.pem')
  writeFileSync(file, certificate)
  return file
}

async function run(
  url: string,
  line: string,
  { env = {}, cwd = temporaryFolder() }: { env?: Record<string, string>; cwd?: string } = {},
) {
  const own = {
    ...signedIn(url, keys.mia),
    SSL_CERT_FILE: '/dev/null',
    SSL_CERT_DIR: temporaryFolder(),
    NODE_EXTRA_CA_CERTS: '',
    ...env,
  }
  const { code, stdout, stderr } = await phProcess(line.split(' '), { env: own, cwd })
  return { code, words: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') }
}

test('what the system trusts is trusted: by commands, by pushes with bodies, and by the threads that receive files', async () => {
  const url = `https://localhost:${await startTls()}${pathname}`
  const trusting = { SSL_CERT_FILE: authorities() }
  expect(await run(url, 'whoami', { env: trusting })).toMatchObject({ code: 0, words: expect.stringContaining(`server ${url}`) })
  const project = await makeProject({ 'Content/SM_Barrel.uasset': { payload: Buffer.alloc(300_000, 'x') } })
  expect(await run(url, 'push', { env: trusting, cwd: project.root })).toMatchObject({
    code: 0,
    words: expect.stringContaining('1 new'),
  })
  const other = await makeProject({})
  const pulled = await run(url, 'pull SM_Barrel --project Project', { env: trusting, cwd: other.root })
  expect(pulled).toMatchObject({ code: 0, words: expect.stringContaining('SM_Barrel') })
})

test('a server that does not know that it is reached by https is reached there all the same, and ph doctor says what it lacks', async () => {
  const url = `https://localhost:${await startTls()}${pathname}`
  const { code, words } = await run(url, 'doctor', { env: { SSL_CERT_FILE: authorities() } })
  const { origin } = new URL(url)
  expect(code).toBe(1)
  expect(words).toContain(`✗ uploads The server sends files to ${origin.replace('https', 'http')}, and is reached at ${origin}:`)
  expect(words).toContain(`PH_PUBLIC_URL=${origin}`)
})

test('where nobody trusts it, the refusal says why at once and what helps, in ph doctor as well', async () => {
  const url = `https://localhost:${await startTls()}${pathname}`
  const refused = await run(url, 'whoami')
  expect(refused.code).toBe(3)
  expect(refused.words).toContain(
    'its certificate is not trusted: nobody but itself has signed it (DEPTH_ZERO_SELF_SIGNED_CERT).',
  )
  expect(refused.words).toContain('NODE_EXTRA_CA_CERTS=<file>')
  expect(refused.words).not.toMatch(/Trying again|report that/)
  const { code, words } = await run(url, 'doctor')
  expect(code).toBe(1)
  expect(words).toMatch(/✗ server .*not trusted.*NODE_EXTRA_CA_CERTS/)
})

test('a certificate for another name says for which', async () => {
  const url = `https://127.0.0.2:${await startTls()}${pathname}`
  const { code, words } = await run(url, 'whoami', { env: { NODE_EXTRA_CA_CERTS: authorities() } })
  expect(code).toBe(3)
  expect(words).toContain('its certificate is for another name: DNS:localhost, IP Address:127.0.0.1.')
  expect(words).toContain('Use the address that the certificate is for.')
})

test('a server that speaks plain HTTP at an https address is told as that', async () => {
  const { words } = await run(library.replace('http:', 'https:'), 'whoami')
  expect(words).toContain('it does not answer https; the address may begin with http://')
})
