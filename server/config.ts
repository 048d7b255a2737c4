/** The server's settings: flags first, then the environment, then defaults. A wrong one stops the start and is named. */
import { join } from 'node:path'

export interface Settings {
  host: string
  port: number
  dataDir: string
  databaseUrl: string | undefined
  storageUrl: string | undefined
  /** Where clients reach the server, when that differs from the address it listens on. */
  publicUrl: string | undefined
  provisionFile: string | undefined
  /** Requests per key and minute (spec 8). */
  rateLimitRequests: number
  rateLimitPush: number
  directUpload: boolean
  webhookAllowPrivate: boolean
  embedder: string
  metricsPublic: boolean
  trustProxy: boolean
}

/** Name, default and meaning of every setting, for `--help` and the docs. */
export const settingsTable = [
  ['PH_DATA', './ph-data', 'folder for the embedded database and the files (--data)'],
  ['PH_DATABASE_URL', '', 'postgres:// address of a PostgreSQL 15 or newer, instead of the embedded database'],
  ['PH_STORAGE_URL', '', 's3://bucket?endpoint=…; not in this version, which keeps files below the data folder'],
  ['PH_PUBLIC_URL', '', 'where clients reach this server, when a proxy stands before it'],
  ['PH_PROVISION', '', 'JSON file with workspaces, members and keys, applied at every start (--provision)'],
  ['PH_RATE_LIMIT_REQUESTS', '240', 'requests per key and minute'],
  ['PH_RATE_LIMIT_PUSH', '2400', 'push, blob and media requests per key and minute'],
  ['PH_DIRECT_UPLOAD', 'on', 'offer presigned addresses for uploads (on or off)'],
  ['PH_WEBHOOK_ALLOW_PRIVATE', 'off', 'allow webhooks to private addresses and over plain http'],
  ['PH_EMBEDDER', 'descriptor', 'what ranks by look: descriptor, clip:<model folder> or off'],
  ['PH_METRICS', '', 'public: answer /metrics to every address, not only to this machine'],
  ['PH_TRUST_PROXY', 'off', 'believe X-Forwarded-For and -Proto from the proxy before the server'],
] as const

export interface Flags {
  host?: string
  port?: string
  data?: string
  provision?: string
}

export function readSettings(flags: Flags, env: NodeJS.ProcessEnv, cwd: string): Settings {
  const text = (name: string) => env[name] || undefined
  const dataDir = flags.data ?? text('PH_DATA') ?? join(cwd, 'ph-data')
  return {
    host: flags.host ?? '127.0.0.1',
    port: whole('--port', flags.port ?? '7410', 65_535),
    dataDir,
    databaseUrl: address('PH_DATABASE_URL', text('PH_DATABASE_URL'), ['postgres:', 'postgresql:']),
    storageUrl: address('PH_STORAGE_URL', text('PH_STORAGE_URL'), ['s3:']),
    publicUrl: address('PH_PUBLIC_URL', text('PH_PUBLIC_URL'), ['http:', 'https:'])?.replace(/\/+$/, ''),
    provisionFile: flags.provision ?? text('PH_PROVISION'),
    rateLimitRequests: whole('PH_RATE_LIMIT_REQUESTS', text('PH_RATE_LIMIT_REQUESTS') ?? '240'),
    rateLimitPush: whole('PH_RATE_LIMIT_PUSH', text('PH_RATE_LIMIT_PUSH') ?? '2400'),
    directUpload: onOff('PH_DIRECT_UPLOAD', text('PH_DIRECT_UPLOAD') ?? 'on'),
    webhookAllowPrivate: onOff('PH_WEBHOOK_ALLOW_PRIVATE', text('PH_WEBHOOK_ALLOW_PRIVATE') ?? 'off'),
    embedder: embedder(text('PH_EMBEDDER') ?? 'descriptor'),
    metricsPublic: oneOf('PH_METRICS', text('PH_METRICS') ?? 'local', ['local', 'public']) === 'public',
    trustProxy: onOff('PH_TRUST_PROXY', text('PH_TRUST_PROXY') ?? 'off'),
  }
}

/** A setting that cannot be used. The message names it and says what would do. */
export class SettingError extends Error {}

function whole(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= most)) throw new SettingError(`${name} is "${text}"; it takes a whole number from 0 to ${most}.`)
  return value
}

function oneOf(name: string, text: string, allowed: string[]): string {
  if (!allowed.includes(text)) throw new SettingError(`${name} is "${text}"; it takes ${allowed.join(' or ')}.`)
  return text
}

function onOff(name: string, text: string): boolean {
  return ['on', '1', 'true'].includes(oneOf(name, text, ['on', 'off', '1', '0', 'true', 'false']))
}

function embedder(text: string): string {
  if (!/^(descriptor|off|clip:.+)$/.test(text))
    throw new SettingError(`PH_EMBEDDER is "${text}"; it takes descriptor, off or clip:<model folder>.`)
  return text
}

function address(name: string, text: string | undefined, protocols: string[]): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !protocols.includes(url.protocol))
    throw new SettingError(`${name} is not an address beginning with ${protocols.map((p) => `${p}//`).join(' or ')}.`)
  return text
}
