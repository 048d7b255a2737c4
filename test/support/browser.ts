/** Someone at a browser: signs in, keeps the cookie, sends the CSRF token with every change. */
import { randomBytes, scryptSync } from 'node:crypto'
import type { Answer } from './api.ts'
import type { TestServer } from './server.ts'

export interface Browser {
  /** What POST /auth/login answered. */
  login: Answer
  /** The session's id; undefined when there is none. */
  sessionId: string | undefined
  csrf: string
  get(path: string): Promise<Answer>
  change(method: string, path: string, body?: unknown): Promise<Answer>
}

interface Asked {
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

/** `base` is an address without `/api/v1`. */
export async function ask(base: string, path: string, { method = 'GET', body, headers = {} }: Asked = {}): Promise<Answer> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

export const cookieOf = ({ headers }: Answer): string =>
  headers.getSetCookie().find((line) => line.startsWith('ph_session=')) ?? ''

export interface Credentials {
  email: string
  password: string
}

/** `headers` go with every request. */
export async function openBrowser(
  base: string,
  credentials: Credentials,
  headers: Record<string, string> = {},
): Promise<Browser> {
  const login = await ask(base, '/auth/login', { method: 'POST', body: credentials, headers })
  const sessionId = /^ph_session=([^;]+)/.exec(cookieOf(login))?.[1]
  const csrf = String(login.body.csrf_token ?? '')
  const signed = { ...headers, cookie: `ph_session=${sessionId}` }
  return {
    login,
    sessionId,
    csrf,
    get: (path) => ask(base, path, { headers: signed }),
    change: (method, path, body) => ask(base, path, { method, body, headers: { ...signed, 'x-csrf-token': csrf } }),
  }
}

/** A browser that brings no cookies, for what takes them. */
export const stranger = { sessionId: undefined, deviceId: undefined }

const passwordOf = (name: string) => `correct horse ${name}`

/** Takes a hundredth of the work that the server's own takes: its parameters stand in it, and signing in reads them there. */
function cheapHash(password: string): string {
  const [salt, cost] = [randomBytes(16), { N: 1024, r: 8, p: 1 }]
  const hash = scryptSync(password, salt, 32, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** A workspace whose people sign in with passwords. */
export async function workspaceWithPasswords(server: TestServer) {
  const { slug, url, keys } = await server.addWorkspace()
  const { sql } = server.database
  const rows = await sql<{ workspace_id: number; id: number; account_id: number; name: string }[]>`
    select m.workspace_id, m.id, m.account_id, m.name from members m join workspaces w on w.id = m.workspace_id where w.slug = ${slug}`
  for (const { account_id, name } of rows)
    await sql`update accounts set password_hash = ${cheapHash(passwordOf(name))} where id = ${account_id}`
  const idsOf = (name: string) => {
    const row = rows.find((one) => one.name === name)
    if (!row) throw new Error(`nobody is called ${name}`)
    return { workspaceId: row.workspace_id, personId: row.id, accountId: row.account_id }
  }
  const credentialsOf = (name: string): Credentials => ({ email: `${name}@${slug}.test`, password: passwordOf(name) })
  return { slug, url, keys, idsOf, credentialsOf }
}
