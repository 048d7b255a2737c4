/** The tools a person would use instead of `ph pull`, each bringing the same files back from a server or a store on this machine. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitLfs, restic } from './contenders.ts'
import { type Command, freePort, ran, startServer } from './processes.ts'

/** What is ready to be timed: the command fills the folder `into`, which is not there before. */
export interface ReadyToPull {
  pull(into: string): Command
  end(): Promise<void> | void
}

export interface PullContender {
  name: string
  /** `reference` holds the files that are to come back. */
  start(reference: string, scratch: string): Promise<ReadyToPull>
}

const shell = (script: string, env: Record<string, string> = {}): Command => ({ run: ['sh', '-ec', script], env })

/** GETs by eight connections, without checking what arrives. */
export const curl: PullContender = {
  name: 'curl -Z from nginx, unverified',
  async start(reference, scratch) {
    mkdirSync(scratch, { recursive: true })
    const port = await freePort()
    const conf = join(scratch, 'nginx.conf')
    writeFileSync(
      conf,
      `daemon off; worker_processes 2; pid ${scratch}/pid; error_log ${scratch}/error;${process.getuid?.() === 0 ? ' user root;' : ''}
events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; client_body_temp_path ${scratch}/t; keepalive_requests 100000;
 server { listen 127.0.0.1:${port}; root ${reference}; } }\n`,
    )
    const list = join(scratch, 'get.cfg')
    ran(
      shell(
        `cd '${reference}'; find . -type f -printf 'url = "http://127.0.0.1:${port}/%P"\\noutput = "%P"\\n' > '${list}'; nginx -t -p '${scratch}' -c '${conf}'`,
      ),
    )
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    const server = await startServer({ run: ['nginx', '-p', scratch, '-c', conf] }, answers)
    const pull = (into: string): Command =>
      shell(`mkdir -p '${into}'; cd '${into}'; curl -sfZ --parallel-max 8 --create-dirs -K '${list}'`)
    return { pull, end: () => server.stop() }
  },
}

/** restic decrypts, decompresses and checks. */
export const resticRestore: PullContender = {
  name: 'restic restore over HTTP',
  async start(reference, scratch) {
    const { push, end } = await restic.start(reference, scratch)
    ran(push)
    return { pull: (into) => ({ ...shell(`restic -q restore latest --target '${into}'`), env: push.env ?? {} }), end }
  },
}

export const lfsPull: PullContender = {
  name: 'git clone, git lfs pull',
  async start(reference, scratch) {
    const { push, end } = await gitLfs.start(reference, scratch)
    ran(push)
    const attributes = join(scratch, 'lfs.git', 'info', 'attributes')
    const pull = (into: string): Command =>
      shell(
        `git clone -q 'file://${join(scratch, 'remote.git')}' '${into}'; cd '${into}'; cp '${attributes}' .git/info/attributes; git lfs pull`,
        { GIT_CONFIG_GLOBAL: push.env?.GIT_CONFIG_GLOBAL ?? '', GIT_CONFIG_NOSYSTEM: '1' },
      )
    return { pull, end }
  },
}

/** The same files from the same disk: what a copy costs without any library. */
export const copy: PullContender = {
  name: 'cp -r',
  async start(reference) {
    return { pull: (into) => ({ run: ['cp', '-r', reference, into] }), end: () => {} }
  },
}

export const emptied = (folder: string): string => {
  rmSync(folder, { recursive: true, force: true })
  return folder
}
