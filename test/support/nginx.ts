/** A real nginx before a server, which sends the files of its store by itself, set up as docs/running-a-server.md says. Debian: apt-get install nginx-light. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { afterFile } from './after-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Tests with it run where it is installed; `.ci/run` installs it. */
export const hasNginx = ((): boolean => {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const page = fileURLToPath(new URL('../../docs/running-a-server.md', import.meta.url))

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** The location that the page shows, for this data folder. */
function accelLocation(dataDir: string): string {
  const [shown] = /location \/internal\/ \{[^}]*\}/.exec(readFileSync(page, 'utf8')) ?? []
  return shown?.replace('/var/lib/prop-house/', `${dataDir}/`) ?? expect.fail('the page shows no location for PH_ACCEL')
}

/** At this port, before the server at `to`. Ended after the test file. */
export async function startNginx(port: number, { to, dataDir }: { to: string; dataDir: string }): Promise<string> {
  const folder = temporaryFolder()
  const conf = join(folder, 'nginx.conf')
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  writeFileSync(
    conf,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error;${process.getuid?.() === 0 ? ' user root;' : ''}
events { worker_connections 128; }
http {
  access_log off; ${temp}
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / { proxy_pass ${to}; proxy_set_header Host $http_host; }
    ${accelLocation(dataDir)}
  }
}
`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', conf, '-e', join(folder, 'error')], { stdio: 'ignore' })
  afterFile(async () => {
    child.kill('SIGTERM')
    await once(child, 'close')
  })
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(
      () =>
        fetch(`${url}/healthz`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 30_000 },
    )
    .toBe(200)
  return url
}
