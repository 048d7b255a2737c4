/** Faults on the way to the library: the sign-in, the host, the server and its clock, the key, what the workspace takes. */

import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { ApiError } from '../../contract/errors.ts'
import type { Identity } from '../../contract/identity.ts'
import { apiMajor } from '../../contract/version.ts'
import { type Finding, fault, fine, note, warning } from '../../system/finding.ts'
import { ClientError } from '../client-error.ts'
import { unlessAborted } from '../http/abort-race.ts'
import { createApi } from '../http/api.ts'
import { Http } from '../http/http.ts'
import { otherOrigin } from '../http/own-address.ts'
import { proxyFor } from '../http/proxies.ts'
import { type Connection, findConnection } from '../sign-in/profile.ts'
import { readIdentity, roleOf } from '../sign-in/sign-in.ts'
import type { Limited } from './options.ts'

export async function checkServer(options: Limited): Promise<Finding[]> {
  const findings: Finding[] = []
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.limitMs)])
  try {
    await new ServerCheckup(options, signal, findings).run()
  } catch (error) {
    options.signal.throwIfAborted()
    if (!signal.aborted) throw error
    findings.push(
      fault(
        'server',
        `It does not answer within ${options.limitMs / 1000} s.`,
        'Ask the administrator of the server, or try again later.',
      ),
    )
  }
  return findings
}

/** Each step builds on the one before; the first that fails ends it. */
class ServerCheckup {
  readonly #options: Limited
  readonly #signal: AbortSignal
  readonly #findings: Finding[]

  constructor(options: Limited, signal: AbortSignal, findings: Finding[]) {
    this.#options = options
    this.#signal = signal
    this.#findings = findings
  }

  async run(): Promise<void> {
    const connection = await this.#findConnection()
    if (!connection || !(await this.#checkHost(connection.url))) return
    const { url, key } = connection
    const http = new Http({ url, key, clientName: this.#options.clientName, signal: this.#signal, retryForMs: 0 })
    try {
      if (!(await this.#checkAnswer(http)) || key === undefined) return
      const identity = await this.#checkKey(http, connection)
      if (identity?.scope === 'write') await this.#checkWorkspace(http, identity)
    } finally {
      await http.close('destroy')
    }
  }

  #add(finding: Finding): void {
    this.#findings.push(finding)
  }

  async #findConnection(): Promise<Connection | undefined> {
    const { folders, choice } = this.#options
    try {
      const connection = await findConnection(folders, choice)
      const { url, profileName, keySource } = connection
      const whose = profileName === undefined ? '' : ` as profile ${profileName}`
      if (keySource === 'none') this.#add(fault('sign-in', `No key is known for ${url}.`, `Run \`ph login --url ${url}\`.`))
      else if (keySource === 'environment') this.#add(fine('sign-in', `PH_API_KEY is used at ${url}.`))
      else
        this.#add(
          fine('sign-in', `Signed in at ${url}${whose}; the key is in ${keySource === 'file' ? 'a file' : 'the keychain'}.`),
        )
      return connection
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      this.#add(fault('sign-in', error.message, error.next))
      return undefined
    }
  }

  async #checkHost(url: string): Promise<boolean> {
    const proxy = this.#findProxy(url)
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
    // A proxy looks names up itself.
    if (proxy !== 'none' || isIP(host)) return proxy !== 'wrong'
    try {
      const found = await unlessAborted(lookup(host, { all: true }), this.#signal)
      this.#add(fine('host', `${host} is ${found.map(({ address }) => address).join(', ')}.`))
      return true
    } catch {
      this.#signal.throwIfAborted()
      this.#add(
        fault('host', `The name ${host} cannot be looked up.`, 'Check the spelling of the address, the network and the VPN.'),
      )
      return false
    }
  }

  #findProxy(url: string): 'none' | 'used' | 'wrong' {
    try {
      const proxy = proxyFor(url, this.#options.env)
      if (proxy === undefined) return 'none'
      this.#add(note('proxy', `Requests go through the proxy ${proxy}, unless NO_PROXY names the server.`))
      return 'used'
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      this.#add(fault('proxy', error.message, error.next))
      return 'wrong'
    }
  }

  /** Without the key: what answers there need not be the library. */
  async #checkAnswer(http: Http): Promise<boolean> {
    const startedMs = performance.now()
    try {
      const { headers, statusCode } = await http.probe('/auth/me', this.#signal)
      const tookMs = performance.now() - startedMs
      const major = headers['x-ph-api']
      if (major === undefined) {
        const next = 'Check the address: it should be the one shown when the server started, or your workspace page.'
        this.#add(fault('server', `What answers at ${http.url} (status ${statusCode}) is not a Prop House server.`, next))
        return false
      }
      this.#add(fine('server', `${http.url} answers in ${Math.ceil(tookMs)} ms.`))
      this.#checkClock(headers.date, tookMs)
      return this.#checkVersion(String(major))
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof ClientError)) throw error
      this.#add(fault('server', error.message, error.next))
      return false
    }
  }

  #checkVersion(major: string): boolean {
    if (major === String(apiMajor)) return true
    const said = `The server speaks version ${/^\d{1,4}$/.test(major) ? major : 'unknown'} of the API, and ph version ${apiMajor}.`
    const next = Number(major) > apiMajor ? 'Update ph on this machine.' : 'Ask the administrator of the server to update it.'
    this.#add(fault('server', said, next))
    return false
  }

  #checkClock(date: unknown, tookMs: number): void {
    const there = typeof date === 'string' ? Date.parse(date) : Number.NaN
    if (Number.isNaN(there)) return
    const seconds = Math.round((this.#options.now().getTime() - tookMs / 2 - there) / 1000)
    const said = `This clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the server.`
    const next = 'Set the clock of the machine that is wrong (NTP): storage refuses addresses that seem to be out of time.'
    if (Math.abs(seconds) <= harmlessSeconds) this.#add(fine('clock', 'This clock and that of the server agree.'))
    else this.#add(Math.abs(seconds) < harmfulSeconds ? warning('clock', said, next) : fault('clock', said, next))
  }

  async #checkKey(http: Http, { profileName, keySource }: Connection): Promise<Identity | undefined> {
    try {
      const identity = readIdentity(http.url, await createApi(http).identity.me())
      const { user, org, name, scope } = identity
      this.#add(fine('key', `"${name}" acts as ${user.display_name} (${roleOf(identity)}) in ${org.name}.`))
      const scopeNext =
        keySource === 'environment' ? 'Set PH_API_KEY to a key with write scope.' : 'Run `ph login --scope write`.'
      if (scope === 'read')
        this.#add(note('scope', 'The key has read scope: it can look and download, not pull or push.', scopeNext))
      else this.#add(fine('scope', 'The key has write scope.'))
      return identity
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof ApiError || error instanceof ClientError)) throw error
      const again = profileName === undefined ? `ph login --url ${http.url}` : `ph login --profile ${profileName}`
      const next = keySource === 'environment' ? 'Set PH_API_KEY to a key that is valid there, or unset it.' : `Run \`${again}\`.`
      this.#add(fault('key', error.message, error instanceof ApiError && error.status === 401 ? next : nextOf(error)))
      return undefined
    }
  }

  /** Asks, as a push does first, where to send bytes that nobody has: that is refused in every state that takes none. */
  async #checkWorkspace(http: Http, { org }: Identity): Promise<void> {
    const unknown = {
      content_hash: randomBytes(32).toString('hex'),
      asset_class: 'StaticMesh',
      asset_name: 'PhDoctor',
      blob_size: 1,
    }
    try {
      const { missing = [] } = await createApi(http).push.negotiate({ items: [unknown] })
      this.#add(fine('workspace', `${org.name} takes changes and new files.`))
      this.#checkUploads(http.url, missing[0]?.upload_url)
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof ApiError || error instanceof ClientError)) throw error
      this.#add(warning('workspace', error.message, nextOf(error)))
    }
  }

  /** `ph` stays on the way that it came by. Browsers and other programs go where they are sent. */
  #checkUploads(url: string, upload: string | undefined): void {
    const named = upload === undefined ? undefined : otherOrigin(upload, url)
    if (named === undefined) return
    const said = `The server sends files to ${named}, and is reached at ${new URL(url).origin}: it does not know its own address. ph stays where it is, browsers and other programs do not.`
    this.#add(fault('uploads', said, `Ask the administrator of the server to set PH_PUBLIC_URL=${new URL(url).origin}.`))
  }
}

const harmlessSeconds = 30
/** Presigned addresses live for 15 minutes (contract-gaps 4). */
const harmfulSeconds = 600

const nextOf = (error: ApiError | ClientError): string =>
  error instanceof ClientError ? error.next : 'Ask the administrator of the server, or the owner of the workspace.'
