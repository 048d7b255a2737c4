/** The tools a person would use instead of `ph push`, each against its own server on this machine. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Command, freePort, ran, type Server, startServer } from './processes.ts'

/** What is ready to be timed: the command pushes the folder as it stands, as often as it is run. */
export interface Ready {
  push: Command
  /** What has to be known before anything is sent, by someone who never pushed: hashes and headers of the whole folder. */
  plan?: Command
  server?: Server
  /** Ends the server and deletes what was stored. */
  end(): Promise<void>
}

export interface Contender {
  name: string
  /** An empty store in an empty scratch folder, and whatever has to run beside the client. */
  start(content: string, scratch: string): Promise<Ready>
}

const shell = (script: string, env: Record<string, string> = {}): Command => ({ run: ['sh', '-ec', script], env })

/** True once a connection is taken. */
const listening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })

async function rcloneServer(kind: string, port: number, options: readonly string[]): Promise<Server> {
  const run = ['rclone', 'serve', kind, '--config', '/dev/null', '--addr', `127.0.0.1:${port}`, ...options]
  return startServer({ run }, () => listening(port))
}

function ending(scratch: string, server?: Server): () => Promise<void> {
  return async () => {
    await server?.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** restic encrypts and compresses; over HTTP, as its users do with a server. */
export const restic: Contender = {
  name: 'restic backup over HTTP',
  async start(content, scratch) {
    const store = join(scratch, 'store')
    mkdirSync(store, { recursive: true })
    const port = await freePort()
    const server = await rcloneServer('restic', port, ['--cache-objects=false', store])
    const env = {
      RESTIC_PASSWORD: 'bench',
      RESTIC_CACHE_DIR: join(scratch, 'cache'),
      RESTIC_REPOSITORY: `rest:http://127.0.0.1:${port}/`,
    }
    ran(shell('restic -q init', env))
    return { push: shell(`restic -q backup '${content}'`, env), server, end: ending(scratch, server) }
  },
}

/** Commits into a bare repository on the same disk: no server takes part. */
export const gitLfs: Contender = {
  name: 'git-lfs add, commit, push',
  async start(content, scratch) {
    mkdirSync(join(scratch, 'lfs.git', 'info'), { recursive: true })
    const remote = join(scratch, 'remote.git')
    const env = {
      GIT_CONFIG_GLOBAL: join(scratch, 'gitconfig'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_DIR: join(scratch, 'lfs.git'),
      GIT_WORK_TREE: content,
    }
    writeFileSync(
      env.GIT_CONFIG_GLOBAL,
      '[user]\n  name = bench\n  email = bench@example.invalid\n[init]\n  defaultBranch = main\n',
    )
    ran(shell(`env -u GIT_DIR -u GIT_WORK_TREE git init -q --bare '${remote}'; git init -q; git lfs install --skip-repo`, env))
    const filter = 'filter=lfs diff=lfs merge=lfs -text'
    writeFileSync(join(env.GIT_DIR, 'info', 'attributes'), `*.uasset ${filter}\n*.umap ${filter}\n`)
    ran(shell(`git remote add origin 'file://${remote}'`, env))
    const push = 'git add -A; git diff --cached --quiet || git commit -qm x; git push -q origin HEAD:main'
    return { push: { ...shell(push, env), cwd: content }, end: ending(scratch) }
  },
}

export const rcloneSftp: Contender = {
  name: 'rclone copy --checksum to sftp',
  async start(content, scratch) {
    const store = join(scratch, 'store')
    mkdirSync(store, { recursive: true })
    const port = await freePort()
    const server = await rcloneServer('sftp', port, ['--dir-cache-time', '0s', '--no-auth', store])
    const password = ran({ run: ['rclone', 'obscure', 'x'] }).trim()
    const remote = `:sftp,host=127.0.0.1,port=${port},user=x,pass=${password}:`
    const run = ['rclone', 'copy', '--config', '/dev/null', '--checksum', '--transfers', '8', '--checkers', '8', content, remote]
    return { push: { run, env: { RCLONE_RETRIES: '1' } }, server, end: ending(scratch, server) }
  },
}
