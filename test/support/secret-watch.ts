/** What is secret, gathered where it passes, and the places where it must not turn up. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** How secrets look on their way to a server, each with the secret as its one group. */
const onWay = {
  key: /^authorization: Bearer (\S+)/gim,
  session: /ph_session=([\w-]+)/g,
  device: /ph_device=([\w-]+)/g,
  csrf: /(?:^x-csrf-token: |csrf_token=)([\w-]+)/gim,
  device_code: /"device_code":\s*"([^"]+)"/g,
  signature: /[?&]signature=([\w-]+)/g,
} as const

export type SecretKind = keyof typeof onWay | 'password' | 'setup_code' | 'user_code' | 'control_token'

export class Secrets {
  readonly #byValue = new Map<string, SecretKind>()

  add(kind: SecretKind, value: string): void {
    this.#byValue.set(value, kind)
  }

  /** For a proxy: looks through what goes to the server. */
  readonly gather = (sent: string): undefined => {
    for (const [kind, pattern] of Object.entries(onWay))
      for (const [, value = ''] of sent.matchAll(pattern)) this.add(kind as SecretKind, value)
  }

  /** What kinds there were, so that a search for nothing is not taken for a good one. */
  kinds(): SecretKind[] {
    return [...new Set(this.#byValue.values())].sort()
  }

  /** The kinds of those that a text holds, in whatever spelling an address or a log may give them. */
  in(text: string): SecretKind[] {
    const holds = (value: string) =>
      [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)].some((spelling) => text.includes(spelling))
    return [...this.#byValue].flatMap(([value, kind]) => (holds(value) ? [kind] : []))
  }
}

/** Every command line on this machine, looked for again and again until the test is over. */
export function watchCommandLines(): () => string {
  const seen = new Set<string>()
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) seen.add(commandLine(pid))
  }
  const timer = setInterval(look, 100)
  onTestFinished(() => clearInterval(timer))
  return () => [...seen].join('\n')
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** The content of every file below a folder, byte by byte. */
export const contentsOf = (folder: string): { path: string; text: string }[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }))
