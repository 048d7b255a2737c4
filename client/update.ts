/** Bringing this program up to the version that a server hands out: ask, fetch, check, and let npm install it. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../contract/errors.ts'
import { clientPaths } from '../contract/version.ts'
import { withoutEnd } from '../system/text/text-end.ts'
import { ClientError, systemCode } from './client-error.ts'
import { readText } from './http/body.ts'
import type { Http } from './http/http.ts'

/** What a server hands out. */
export interface Offer {
  version: string
  sha256: string
}

const mostTarballBytes = 512 * 1024 * 1024

export const tarballAddress = (url: string): string => url + clientPaths.tarball

/** Throws ClientError `NO_CLIENT_THERE` where a server hands out none, `NOT_A_LIBRARY`, `UNREACHABLE`. */
export async function askOffer(http: Http): Promise<Offer> {
  const { version, sha256 } = (await readJson(http)) ?? {}
  const isOffer = typeof version === 'string' && typeof sha256 === 'string'
  if (isOffer && /^[\w.+-]{1,80}$/.test(version) && /^[0-9a-f]{64}$/.test(sha256)) return { version, sha256 }
  throw new ClientError('NOT_A_LIBRARY', `${http.url} does not say which version of ph it hands out.`)
}

async function readJson(http: Http): Promise<Partial<Record<keyof Offer, unknown>> | null> {
  try {
    const { body } = await http.open({ url: http.url + clientPaths.version, headers: { accept: 'application/json' } })
    return JSON.parse(await readText(body))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    if (error instanceof ApiError && error.status === 404)
      throw new ClientError('NO_CLIENT_THERE', `${http.url} does not hand out ph.`, { cause: error })
    throw error
  }
}

/**
 * Installs what is offered below `prefix`, and nothing when its bytes are not those that were named. Throws ClientError `NPM_MISSING`
 * before anything is fetched, `WRONG_BYTES`, `NPM_FAILED`.
 */
export async function installOffer(http: Http, offer: Offer, prefix: string): Promise<void> {
  await requireNpm()
  const folder = mkdtempSync(join(tmpdir(), 'prop-house-update-'))
  try {
    await fetchTarball(http, offer, join(folder, tarballName))
    await install({ folder, prefix, url: http.url })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const tarballName = 'prop-house.tgz'

async function fetchTarball(http: Http, { sha256 }: Offer, path: string): Promise<void> {
  const { body } = await http.open({ url: `${tarballAddress(http.url)}?sha256=${sha256}` })
  const hash = createHash('sha256')
  await pipeline(body, (chunks: Readable) => bounded(chunks, hash), createWriteStream(path))
  if (hash.digest('hex') === sha256) return
  throw new ClientError('WRONG_BYTES', `${tarballAddress(http.url)} is not what ${http.url} says it is; nothing was installed.`)
}

async function* bounded(chunks: Readable, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostTarballBytes) throw new ClientError('ANSWER_TOO_LARGE', `The client is longer than ${mostTarballBytes} bytes.`)
    hash.update(chunk)
    yield chunk
  }
}

const onWindows = process.platform === 'win32'

/** Only the shell of Windows ends with a code where there is no npm; an npm that fails by itself says why when it installs. */
async function requireNpm(): Promise<void> {
  const { code } = await npm(['--version'])
  if (onWindows && code !== 0) throw npmMissing()
}

const npmMissing = (cause?: unknown): ClientError =>
  new ClientError('NPM_MISSING', 'npm installs ph, and it is not in PATH.', { cause })

interface Install {
  /** Holds the tarball. */
  folder: string
  prefix: string
  url: string
}

async function install({ folder, prefix, url }: Install): Promise<void> {
  const { code, said } = await npm(['install', '--global', `./${tarballName}`], { cwd: folder, npm_config_prefix: prefix })
  if (code === 0) return
  throw new ClientError('NPM_FAILED', `npm could not install ph: ${npmWords(said) || `it ended with ${code}`}.`, {
    next: `See what npm says of it: npm install -g ${tarballAddress(url)}`,
  })
}

/** Settings travel in the environment, so that no path has to be quoted for a shell. Throws ClientError `NPM_MISSING`. */
async function npm(
  words: readonly string[],
  { cwd, ...settings }: { cwd?: string; npm_config_prefix?: string } = {},
): Promise<{ code: number | null; said: string }> {
  const quiet = { npm_config_fund: 'false', npm_config_audit: 'false', npm_config_update_notifier: 'false' }
  const child = spawn('npm', words, {
    cwd,
    env: { ...process.env, ...quiet, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
    // On Windows npm is a script, which only a shell starts.
    shell: onWindows,
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-4_000)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  }).catch((error: unknown) => {
    throw systemCode(error) === 'ENOENT' ? npmMissing(error) : error
  })
  return { code, said }
}

/** The first two things it says, without its own address of a log. */
const npmWords = (said: string): string => {
  const lines = said.split('\n').filter((line) => /^npm error /i.test(line))
  const words = lines.slice(0, 2).map((line) => line.slice('npm error '.length).trim())
  return withoutEnd(words.join('; '), '. ')
}

/** The version that now lies in a folder. */
export const versionIn = (folder: string): unknown =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown }).version
