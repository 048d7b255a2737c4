/** Runs once before all tests: builds dist/ when a source is newer, so that tests of bin/ph.mjs run what is written here. */
import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = '{contract,system,formats,words,previews,client,server,cli,sample}/**/*.{ts,tsx,sql,css}'

const changedAt = (path: string): number => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

export default function setup(): void {
  const built = changedAt('dist/cli/main.js')
  const newest = Math.max(...globSync(sources, { cwd: root }).map(changedAt))
  if (newest > built) execFileSync(process.execPath, [join(root, 'bin/build.mjs'), '--noCheck'], { stdio: 'inherit' })
}
