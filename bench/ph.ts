/** `ph` as a contender: its server on an embedded or a real database, and the command a person types. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { Contender } from './contenders.ts'
import { type Command, type Server, startAtAddress } from './processes.ts'

const program = join(import.meta.dirname, '..', 'bin', 'ph.mjs')
const KEY = 'ph_live_BenchBenchBenchBenchBenchBenchBenchBench'

export const newKeys = (count: number): string[] =>
  Array.from({ length: count }, () => `ph_live_${randomBytes(20).toString('hex')}`)

/** Runs `ph` by the Node that runs this: npx and npm would add their own start-up to every time. */
export const ph = (args: readonly string[], env: Record<string, string> = {}): Command => ({
  run: [process.execPath, program, ...args],
  // Copies of a package that were edited claim the path of their original: ph names them, pushes the rest, and ends with 6.
  alsoDone: [6],
  env,
})

export interface PhServer extends Server {
  url: string
  key: string
  /** Stops it and deletes its data and its database. */
  end(): Promise<void>
}

export interface Around {
  env?: Record<string, string>
  /** Further keys of the one person. */
  keys?: readonly string[]
  /** A second person, Ada, has this one. */
  adasKey?: string
  /** The log goes to /dev/null: collecting it takes time too. */
  isSilent?: boolean
}

/** `database` is the address of a PostgreSQL whose user may create databases; without it, PGlite. */
export async function startPh(scratch: string, database?: string, around: Around = {}): Promise<PhServer> {
  const own = database ? await freshDatabase(database) : undefined
  const server = await startPhOn(scratch, own?.url, around)
  const end = async (): Promise<void> => {
    await server.stop()
    await own?.drop()
    rmSync(scratch, { recursive: true, force: true })
  }
  return { ...server, end }
}

/** On the database at `url`, or the PGlite in the folder, which are made where there are none, and stay when it is stopped. */
export async function startPhOn(
  scratch: string,
  url: string | undefined,
  { env = {}, keys = [], adasKey, isSilent }: Around = {},
): Promise<Omit<PhServer, 'end'>> {
  mkdirSync(scratch, { recursive: true })
  const provision = join(scratch, 'provision.json')
  writeFileSync(provision, JSON.stringify(workspaceWith([KEY, ...keys], adasKey)))
  const args = ['server', 'start', '--port', '0', '--data', join(scratch, 'data'), '--provision', provision]
  const command = ph(args, { ...env, ...(url ? { PH_DATABASE_URL: url } : {}) })
  const run = isSilent ? ['sh', '-c', 'exec "$@" 2>/dev/null', 'sh', ...command.run] : command.run
  return { ...(await startAtAddress({ ...command, run })), key: KEY }
}

/** What `startPh` calls the workspace. */
export const workspaceSlug = 'bench'

const member = (name: string, role: 'owner' | 'member') => ({
  email: `${name.toLowerCase()}@bench.test`,
  name: name.toLowerCase(),
  display_name: name,
  role,
  password: 'correct horse',
  kind: 'person',
  status: 'active',
})

const workspaceWith = (keys: readonly string[], adasKey: string | undefined) => ({
  workspaces: [
    {
      slug: workspaceSlug,
      name: 'Bench',
      state: 'active',
      members: [member('Bo', 'owner'), ...(adasKey ? [member('Ada', 'member')] : [])],
      keys: [
        ...keys.map((key, index) => ({ name: `bench ${index}`, member: 'bo@bench.test', scope: 'write', key })),
        ...(adasKey ? [{ name: 'bench ada', member: 'ada@bench.test', scope: 'write', key: adasKey }] : []),
      ],
    },
  ],
})

export async function freshDatabase(address: string): Promise<{ url: string; drop(): Promise<void> }> {
  const sql = postgres(address, { max: 1, onnotice: () => {} })
  const name = `ph_bench_${randomBytes(6).toString('hex')}`
  await sql.unsafe(`create database ${name}`)
  const url = new URL(address)
  url.pathname = `/${name}`
  const drop = async (): Promise<void> => {
    await sql.unsafe(`drop database ${name} with (force)`)
    await sql.end()
  }
  return { url: url.href, drop }
}

/** The settings of a person who has never pushed before: all folders fresh below `scratch`. */
export const person = (server: { url: string; key: string }, scratch: string): Record<string, string> => ({
  PH_URL: server.url,
  PH_API_KEY: server.key,
  PH_CONFIG_DIR: join(scratch, 'config'),
  PH_STATE_DIR: join(scratch, 'state'),
  PH_CACHE_DIR: join(scratch, 'cache'),
})

export const phContender = (name: string, database?: string): Contender => ({
  name,
  async start(content, scratch) {
    const server = await startPh(join(scratch, 'server'), database)
    const push = ph(['push', content, '--json'], person(server, join(scratch, 'person')))
    const plan = ph(['push', content, '--dry-run', '--json'], person(server, join(scratch, 'planner')))
    const end = async (): Promise<void> => {
      await server.end()
      rmSync(scratch, { recursive: true, force: true })
    }
    return { push, plan, server, end }
  },
})
