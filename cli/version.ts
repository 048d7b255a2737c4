/** Which version of `ph` this is. */
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version in package.json, which lies above the sources and above dist/ alike. */
export function version(): string {
  const file = findPackageJSON('..', import.meta.url)
  if (!file) throw new Error('The package.json of ph is missing; install it again.')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
