/** nginx before a server of ours, whose files it sends by itself, as docs/running-a-server.md says. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Server, startServer } from './processes.ts'

/** Where nginx will listen, and the settings with which a server is started that it stands before. */
export async function placeOfNginx(): Promise<{ port: number; env: Record<string, string> }> {
  const port = await freePort()
  return { port, env: { PH_ACCEL: '/internal/', PH_PUBLIC_URL: `http://127.0.0.1:${port}` } }
}

/** `files`: the storage folder of the server at `to`. */
export function startNginx(scratch: string, { port, to, files }: { port: number; to: string; files: string }): Promise<Server> {
  mkdirSync(scratch, { recursive: true })
  const conf = join(scratch, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    conf,
    `daemon off; pid ${scratch}/pid; error_log ${scratch}/error;${process.getuid?.() === 0 ? ' user root;' : ''}
events { worker_connections 256; }
http {
  access_log off; ${temporary.map((name) => `${name}_temp_path ${scratch}/${name};`).join(' ')}
  upstream server { server ${new URL(to).host}; keepalive 32; keepalive_requests 100000; }
  server {
    listen 127.0.0.1:${port}; keepalive_requests 100000;
    client_max_body_size 0;
    location / { proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; }
    location /internal/ { internal; alias ${files}/; sendfile on; }
  }
}
`,
  )
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  return startServer({ run: ['nginx', '-p', scratch, '-c', conf] }, answers)
}
