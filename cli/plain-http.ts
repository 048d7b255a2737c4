/** The notice about an address that leads to another machine without TLS: on stderr, with --json too, and never an error. */
import { isPlainHttp } from '../contract/plain-http.ts'
import { printable } from '../system/printable.ts'
import type { Surroundings } from './context.ts'
import { shown, wrapWidth } from './terminal/output.ts'
import { wrap } from './terminal/wrap.ts'

const risks = {
  key: 'your key and your files travel unencrypted, and others on the way can read and change them',
  program:
    'the program that is installed travels unencrypted, and so does the SHA-256 that it is checked against: others on the way can put another one in its place',
}

/** `what` travels there. */
export function tellPlainHttp(
  { stderr, env }: Pick<Surroundings, 'stderr' | 'env'>,
  url: string,
  what: keyof typeof risks,
): void {
  if (!isPlainHttp(url)) return
  const line = `${printable(url)} is plain HTTP to another machine: ${risks[what]}. Use its https:// address, or a tunnel such as \`ssh -L 7410:localhost:7410 <machine>\` with http://localhost:7410.`
  stderr.write(shown(`${wrap(line, wrapWidth(stderr, env)).join('\n')}\n`))
}
