/** The version of this program, and the order of versions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { programFolder } from './installation.ts'

/** As in package.json: `0.1.0` in a checkout, `0.1.0-20261123043608.h1a2b3c4d` where it was installed from a server. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(join(programFolder(), 'package.json'), 'utf8')) as { version: string }).version
}

/** Whether the first is the later of two versions that builds made (Semantic Versioning 2.0.0, section 11). */
export function isLater(one: string, other: string): boolean {
  const [core, build] = split(one)
  const [otherCore, otherBuild] = split(other)
  const byCore = core.localeCompare(otherCore, 'en', { numeric: true })
  if (byCore !== 0) return byCore > 0
  if (build === otherBuild || otherBuild === '') return false
  return build === '' || build > otherBuild
}

/** What follows the dash begins with a time of fixed width, so it is compared as text. */
function split(version: string): [core: string, build: string] {
  const dash = version.indexOf('-')
  return dash < 0 ? [version, ''] : [version.slice(0, dash), version.slice(dash + 1)]
}
