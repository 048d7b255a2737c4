/** The server's settings: flags first, then the environment, then defaults. A wrong one stops the start and is named. */
import { resolve } from 'node:path'
import { namesIn, toolsetNames } from '../mcp/tools/toolset-names.ts'
import { withoutEnd } from '../system/text/text-end.ts'
import { readBucketAddress } from './storage/s3/bucket-address.ts'

export interface Settings {
  host: string
  port: number
  dataDir: string
  databaseUrl: string | undefined
  /** Memory in which the embedded database keeps what it reads. */
  databaseCacheMiB: number
  /** `s3://…`; undefined: files below the data folder. */
  storageUrl: string | undefined
  /** For it; undefined: what the environment of AWS says. */
  storageKey: { id: string; secret: string } | undefined
  /** A location of nginx, which sends the files below it; undefined: this server sends them. */
  accel: string | undefined
  /** Where clients reach the server, when that differs from the address it listens on. */
  publicUrl: string | undefined
  provisionFile: string | undefined
  /** Requests per key and minute (spec 8). */
  rateLimitRequests: number
  rateLimitPush: number
  directUpload: boolean
  /** The server makes previews of what was pushed without. */
  previews: boolean
  /** The embedded database may lie on a disk that other machines can use. */
  networkDisk: boolean
  webhookAllowPrivate: boolean
  embedder: string
  /** Whether `/metrics` answers everyone, on the server's own port. */
  metricsPublic: boolean
  /** Where it answers this machine; `beside`: one above the server's own port; undefined: at no port of its own. */
  metricsPort: number | 'beside' | undefined
  /** Proxies between clients and the server whose word is taken for where a request comes from. */
  trustedProxies: number
  /** Toolsets that assistants may have on the hosted endpoint, and whether only to look. */
  mcpToolsets: readonly string[]
  mcpReadOnly: boolean
  /** The same for people, with where each comes from. */
  told: readonly ToldSetting[]
}

/** Secrets within addresses are left out. */
export interface ToldSetting {
  name: string
  value: string
  from: 'default' | 'environment' | `--${string}`
  /** Why it cannot be used. */
  wrong?: string
}

/** Name, default and meaning of every setting, for `--help` and the docs. */
export const settingsTable = [
  ['PH_DATA', './ph-data', 'folder for the embedded database and the files (--data)'],
  ['PH_DATABASE_URL', '', 'postgres:// address of a PostgreSQL 15 or newer, instead of the embedded database'],
  ['PH_DATABASE_CACHE', '128', 'MiB of memory in which the embedded database keeps what it reads, from 16 to 1024'],
  [
    'PH_STORAGE_URL',
    '',
    's3://bucket/folder?endpoint=https://…&region=…: keep files in object storage, not below the data folder',
  ],
  ['PH_STORAGE_KEY', '', 'access key for the object storage; else AWS_ACCESS_KEY_ID and all that AWS tools know'],
  ['PH_STORAGE_SECRET', '', 'the secret of PH_STORAGE_KEY'],
  ['PH_ACCEL', '', 'a location of the nginx before this server, such as /internal/, by which nginx sends the files itself'],
  ['PH_PUBLIC_URL', '', 'where clients reach this server, when a proxy stands before it'],
  ['PH_PROVISION', '', 'JSON file with workspaces, members and keys, applied at every start (--provision)'],
  ['PH_RATE_LIMIT_REQUESTS', '240', 'requests per key and minute'],
  ['PH_RATE_LIMIT_PUSH', '2400', 'push, blob and media requests per key and minute'],
  ['PH_DIRECT_UPLOAD', 'on', 'offer presigned addresses for uploads (on or off)'],
  ['PH_PREVIEWS', 'off', 'on: make the previews and thumbnails that clients have not sent, one file at a time'],
  [
    'PH_NETWORK_DISK',
    'refuse',
    'allow: keep the embedded database on NFS, SMB or the like, where no other machine starts a server on the folder',
  ],
  ['PH_WEBHOOK_ALLOW_PRIVATE', 'off', 'allow webhooks to private addresses and over plain http'],
  ['PH_EMBEDDER', 'descriptor', 'what finds entries by how they look: descriptor, clip:<model folder> or off'],
  [
    'PH_METRICS',
    'local',
    'local: answer /metrics on 127.0.0.1 only, one port above --port; a number: at that port; public: to everyone, at --port; or off',
  ],
  [
    'PH_TRUST_PROXY',
    'off',
    'on: believe what the proxy before the server says in X-Forwarded-For and -Proto; 2 to 9: so many proxies',
  ],
  ['PH_MCP_TOOLSETS', 'all', 'toolsets that assistants may have at /mcp, separated by commas, such as default,curation'],
  ['PH_MCP_READ_ONLY', 'off', 'on: assistants at /mcp only look, whatever their key may do'],
] as const

export interface Flags {
  host?: string
  port?: string
  data?: string
  provision?: string
}

export const readSettings = (flags: Flags, env: NodeJS.ProcessEnv, cwd: string): Settings => ({
  ...readValues(flags, env, cwd),
  told: tellSettings(flags, env, cwd),
})

function readValues(flags: Flags, env: NodeJS.ProcessEnv, cwd: string): Omit<Settings, 'told'> {
  const text = (name: string) => env[name] || undefined
  return {
    host: flags.host ?? '127.0.0.1',
    port: whole('--port', flags.port ?? '7410', { most: 65_535 }),
    dataDir: resolve(cwd, flags.data ?? text('PH_DATA') ?? 'ph-data'),
    databaseUrl: address('PH_DATABASE_URL', text('PH_DATABASE_URL'), ['postgres:', 'postgresql:']),
    databaseCacheMiB: whole('PH_DATABASE_CACHE', text('PH_DATABASE_CACHE') ?? '128', { least: 16, most: 1024 }),
    storageUrl: bucket(text('PH_STORAGE_URL')),
    storageKey: storageKey(text('PH_STORAGE_KEY'), text('PH_STORAGE_SECRET')),
    accel: location('PH_ACCEL', text('PH_ACCEL')),
    publicUrl: publicAddress(text('PH_PUBLIC_URL')),
    provisionFile: absolute(cwd, flags.provision ?? text('PH_PROVISION')),
    rateLimitRequests: whole('PH_RATE_LIMIT_REQUESTS', text('PH_RATE_LIMIT_REQUESTS') ?? '240'),
    rateLimitPush: whole('PH_RATE_LIMIT_PUSH', text('PH_RATE_LIMIT_PUSH') ?? '2400'),
    directUpload: onOff('PH_DIRECT_UPLOAD', text('PH_DIRECT_UPLOAD') ?? 'on'),
    previews: onOff('PH_PREVIEWS', text('PH_PREVIEWS') ?? 'off'),
    networkDisk: oneOf('PH_NETWORK_DISK', text('PH_NETWORK_DISK') ?? 'refuse', ['refuse', 'allow']) === 'allow',
    webhookAllowPrivate: onOff('PH_WEBHOOK_ALLOW_PRIVATE', text('PH_WEBHOOK_ALLOW_PRIVATE') ?? 'off'),
    embedder: embedder(cwd, text('PH_EMBEDDER') ?? 'descriptor'),
    ...metrics(text('PH_METRICS') ?? 'local'),
    trustedProxies: proxies(text('PH_TRUST_PROXY') ?? 'off'),
    mcpToolsets: toolsets(text('PH_MCP_TOOLSETS') ?? 'all'),
    mcpReadOnly: onOff('PH_MCP_READ_ONLY', text('PH_MCP_READ_ONLY') ?? 'off'),
  }
}

/** Every setting with its value and where that comes from; never throws, but says which ones cannot be used. */
export function tellSettings(flags: Flags, env: NodeJS.ProcessEnv, cwd: string): ToldSetting[] {
  const given = (name: string) => env[name] || undefined
  const fromFlag = ([flag, fallback]: readonly [keyof Flags, string]): ToldSetting => {
    const name = `--${flag}` as const
    const wrong = faultOf(() => readValues({ [flag]: flags[flag] }, {}, cwd))
    return { name, value: flags[flag] ?? fallback, from: flags[flag] === undefined ? 'default' : name, ...wrong }
  }
  const fromTable = settingsTable.map(([name, fallback]): ToldSetting => {
    const flag = flagOf[name]
    if (flag !== undefined && flags[flag] !== undefined) return { name, value: resolve(cwd, flags[flag]), from: `--${flag}` }
    const text = given(name)
    const value = text === undefined ? fallback : name === 'PH_STORAGE_SECRET' ? '***' : masked(text)
    const path = flag === undefined || value === '' ? value : resolve(cwd, value)
    const wrong = faultOf(() => readValues({}, { ...(isOfStorage(name) ? storagePair(env) : {}), [name]: text }, cwd))
    return { name, value: path, from: text === undefined ? 'default' : 'environment', ...wrong }
  })
  return [...ownFlags.map(fromFlag), ...fromTable]
}

const absolute = (cwd: string, path: string | undefined): string | undefined =>
  path === undefined ? undefined : resolve(cwd, path)

const ownFlags = [
  ['host', '127.0.0.1'],
  ['port', '7410'],
] as const
/** Settings that are paths, and may be given by flags too. */
const flagOf: Record<string, 'data' | 'provision'> = { PH_DATA: 'data', PH_PROVISION: 'provision' }

function faultOf(read: () => unknown): { wrong?: string } {
  try {
    read()
    return {}
  } catch (error) {
    if (error instanceof SettingError) return { wrong: error.message }
    throw error
  }
}

/** Addresses may hold a password, beside the user's name or in the query. */
function masked(text: string): string {
  if (!text.includes('://')) return text
  if (!URL.canParse(text)) return '(not an address)'
  const url = new URL(text)
  if (url.password) url.password = '***'
  for (const name of [...url.searchParams.keys()]) if (/pass|secret|key|token/i.test(name)) url.searchParams.set(name, '***')
  return url.href
}

/** A setting that cannot be used. The message names it and says what would do. */
export class SettingError extends Error {}

function whole(name: string, text: string, { least = 0, most = Number.MAX_SAFE_INTEGER } = {}): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most))
    throw new SettingError(`${name} is "${text}"; it takes a whole number from ${least} to ${most}.`)
  return value
}

function oneOf(name: string, text: string, allowed: string[]): string {
  if (!allowed.includes(text)) throw new SettingError(`${name} is "${text}"; it takes ${allowed.join(' or ')}.`)
  return text
}

function onOff(name: string, text: string): boolean {
  return ['on', '1', 'true'].includes(oneOf(name, text, ['on', 'off', '1', '0', 'true', 'false']))
}

function metrics(text: string): Pick<Settings, 'metricsPublic' | 'metricsPort'> {
  if (text === 'public') return { metricsPublic: true, metricsPort: undefined }
  if (text === 'local' || text === 'off') return { metricsPublic: false, metricsPort: text === 'local' ? 'beside' : undefined }
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return { metricsPublic: false, metricsPort: Number(text) }
  throw new SettingError(`PH_METRICS is "${text}"; it takes local, public, off, or the number of a port.`)
}

function proxies(text: string): number {
  if (/^[2-9]$/.test(text)) return Number(text)
  if (!['on', 'off', '1', '0', 'true', 'false'].includes(text))
    throw new SettingError(
      `PH_TRUST_PROXY is "${text}"; it takes on, off, or the number of proxies before the server, from 1 to 9.`,
    )
  return ['on', '1', 'true'].includes(text) ? 1 : 0
}

function toolsets(text: string): string[] {
  const names = namesIn(text)
  const unknown = names.find((name) => !toolsetNames.some((one) => one === name))
  if (unknown === undefined) return names
  throw new SettingError(`PH_MCP_TOOLSETS names "${unknown}"; there are ${toolsetNames.join(', ')}.`)
}

function embedder(cwd: string, text: string): string {
  if (text.startsWith(clip) && text.length > clip.length) return `${clip}${resolve(cwd, text.slice(clip.length))}`
  if (text !== 'descriptor' && text !== 'off')
    throw new SettingError(`PH_EMBEDDER is "${text}"; it takes descriptor, off or clip:<model folder>.`)
  return text
}

const clip = 'clip:'

function bucket(text: string | undefined): string | undefined {
  try {
    if (text) readBucketAddress(text)
  } catch (error) {
    throw new SettingError(`PH_STORAGE_URL ${(error as Error).message}`)
  }
  return text
}

function location(name: string, text: string | undefined): string | undefined {
  if (text === undefined || /^(\/[A-Za-z0-9_-]+)+\/$/.test(text)) return text
  throw new SettingError(`${name} is "${text}"; it takes a location of nginx, such as /internal/, with a slash at both ends.`)
}

const isOfStorage = (name: string): boolean => name === 'PH_STORAGE_KEY' || name === 'PH_STORAGE_SECRET'

const storagePair = ({ PH_STORAGE_KEY, PH_STORAGE_SECRET }: NodeJS.ProcessEnv) => ({ PH_STORAGE_KEY, PH_STORAGE_SECRET })

function storageKey(id: string | undefined, secret: string | undefined): Settings['storageKey'] {
  if (id !== undefined && secret !== undefined) return { id, secret }
  if (id === undefined && secret === undefined) return undefined
  throw new SettingError('PH_STORAGE_KEY and PH_STORAGE_SECRET go together: set both, or none of them.')
}

function address(name: string, text: string | undefined, protocols: string[]): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !protocols.includes(url.protocol))
    throw new SettingError(`${name} is not an address beginning with ${protocols.map((p) => `${p}//`).join(' or ')}.`)
  return text
}

/** People copy it into shells, as a part of commands. */
function publicAddress(text: string | undefined): string | undefined {
  const found = withoutEnd(address('PH_PUBLIC_URL', text, ['http:', 'https:']) ?? '', '/') || undefined
  if (found !== undefined && /[\s"'`$&;|<>(){}!*?#%^\\]/.test(found))
    throw new SettingError(
      'PH_PUBLIC_URL holds letters that mean something to a shell; it takes an address such as https://props.example.com.',
    )
  return found
}
