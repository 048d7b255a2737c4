/** `ph` as people have it who installed it from a server: by a real npm, into an empty home, started by the Node of the system. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterFile } from './after-file.ts'
import type { ProcessEnding } from './ph-process.ts'
import { startRegistry } from './registry.ts'

export interface InstalledPh {
  /** What npm said. */
  npm: ProcessEnding
  /** The folder of its package.json. */
  folder: string
  /** What npm put on the PATH. */
  program: string
  /** Packages that npm fetched beside the tarball. */
  fetched: ReadonlySet<string>
  env: Record<string, string>
  ph(args: readonly string[], env?: Record<string, string>): Promise<ProcessEnding>
  /** Writes another version into it, as if it had been installed long ago. */
  backdate(version: string): void
}

/** Removed after the test file. */
export async function installPh(serverUrl: string): Promise<InstalledPh> {
  const registry = await startRegistry()
  const home = mkdtempSync(join(tmpdir(), 'ph-test-home-'))
  afterFile(() => rmSync(home, { recursive: true, force: true }))
  const prefix = join(home, 'npm')
  const env = {
    HOME: home,
    PATH: [join(prefix, 'bin'), ...ofSystem(process.env.PATH ?? '')].join(delimiter),
    npm_config_registry: registry.url,
    npm_config_cache: join(home, 'cache'),
    npm_config_prefix: prefix,
    npm_config_update_notifier: 'false',
  }
  const npm = await run('npm', ['install', '-g', `${serverUrl}/install/prop-house.tgz`], env)
  const folder = join(prefix, 'lib/node_modules/prop-house')
  return {
    npm,
    folder,
    program: join(prefix, 'bin/ph'),
    env,
    fetched: registry.fetched,
    ph: (args, more = {}) => run(join(prefix, 'bin/ph'), args, { ...env, ...more }),
    backdate(version) {
      const file = join(folder, 'package.json')
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }))
    },
  }
}

/** Without the Node that npm scripts of this checkout find first. */
const ofSystem = (path: string): string[] => path.split(delimiter).filter((folder) => !folder.includes('node_modules'))

async function run(command: string, args: readonly string[], env: Record<string, string>): Promise<ProcessEnding> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
