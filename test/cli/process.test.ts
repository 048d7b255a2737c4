/** ph as a process of its own, through bin/ph.mjs: exit codes, signals, broken pipes, and nothing but text where no terminal is. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type Heard, startPeer } from '../support/peer.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const program = fileURLToPath(new URL('../../bin/ph.mjs', import.meta.url))
const { NO_COLOR: _unset, ...surroundings } = process.env

/** Starts ph without NO_COLOR, so that silence about colours is its own doing. */
function start(args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder() }
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...surroundings, ...folders, TERM: 'xterm-256color', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr.on('data', (chunk) => (texts.stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, ...texts }
}

test('ph --version prints one line', async () => {
  expect(await ended(start(['--version']))).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' })
})

test('help and errors hold no escape codes where no terminal is', async () => {
  const help = await ended(start(['help', 'show']))
  expect(help.code).toBe(0)
  expect(help.stdout).not.toContain('\u001b')
  const wrong = await ended(start(['shwo']))
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).not.toContain('\u001b')
  expect(wrong.stderr).toContain('Did you mean `show`?')
})

test('when the reader of stdout has gone, ph ends without a word', async () => {
  const child = start(['--help'])
  child.stdout.destroy()
  expect(await ended(child)).toMatchObject({ code: 0, stderr: '' })
})

test('Ctrl-C while waiting for a server ends with exit code 130 and without an error', async () => {
  let asked: (heard: Heard) => void
  const request = new Promise<Heard>((resolve) => {
    asked = resolve
  })
  const silent = await startPeer((_response, heard) => asked(heard))
  const child = start(['whoami'], { PH_URL: silent.url, PH_API_KEY: 'key' })
  const result = ended(child)
  await request
  child.kill('SIGINT')
  expect(await result).toEqual({ code: 130, stdout: '', stderr: '' })
})

test('a push that is interrupted says that the next one goes on', async () => {
  const silent = await startPeer(() => undefined)
  const folder = temporaryFolder({ 'Rock.png': Buffer.from('89504e47', 'hex') })
  const child = start(['push', folder, '--yes'], { PH_URL: silent.url, PH_API_KEY: 'key' })
  const result = ended(child)
  while (silent.heard.length === 0) await new Promise(setImmediate)
  child.kill('SIGINT')
  expect(await result).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('the next push goes on') })
})

test('the server says where it is ready on one line of stdout, and ends well on SIGTERM', async () => {
  const child = start(['server', 'start', '--port', '0', '--data', temporaryFolder()])
  const result = ended(child)
  const [line] = await once(child.stdout, 'data')
  expect(String(line)).toMatch(/^ready at http:\/\/127\.0\.0\.1:\d+\n$/)
  expect((await fetch(`${String(line).trim().slice('ready at '.length)}/healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  const { stderr, ...rest } = await result
  expect(rest).toMatchObject({ code: 0, stdout: String(line) })
  expect(stderr).toContain('No workspace is here yet')
})

test('a setting of the server that cannot be is named, with exit code 2', async () => {
  const wrong = await ended(start(['server', 'start', '--data', temporaryFolder()], { PH_DIRECT_UPLOAD: 'maybe' }))
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('PH_DIRECT_UPLOAD')
})

test('a port that is taken is named', async () => {
  const { url } = await startPeer()
  const { code, stderr } = await ended(start(['server', 'start', '--data', temporaryFolder(), '--port', new URL(url).port]))
  expect(code).toBe(1)
  expect(stderr).toContain(new URL(url).port)
  expect(stderr).toContain('--port 0')
})

test('a server keeps what was compiled for it while it runs: it may end by a kill', async () => {
  const compiled = temporaryFolder()
  const kept = () => readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
  const data = join(temporaryFolder(), 'data')
  start(['server', 'start', '--port', '0', '--data', data], { NODE_COMPILE_CACHE: compiled, PH_EMBEDDER: 'off' })
  await expect.poll(kept, { timeout: 60_000 }).toBeGreaterThan(100)
})
