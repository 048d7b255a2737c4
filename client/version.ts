/** The version of this program, from package.json: beside the sources, or one folder up from dist/. */
import { existsSync, readFileSync } from 'node:fs'

/** `major.minor.patch` as in package.json. */
export function readVersion(): string {
  const beside = new URL('../package.json', import.meta.url)
  const file = existsSync(beside) ? beside : new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
